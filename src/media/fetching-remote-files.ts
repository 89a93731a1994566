import { Refusal } from "../errors";
import { guardedClient } from "../outgoing/guarded-client";
import { bodyWithin, IncompleteResponse } from "../outgoing/http-client";
import type { Platen } from "../platen";
import { percentDecoded } from "../text/clean-text";
import type { StoredBlob } from "./files/blobs";
import { MAX_FILE_BYTES } from "./files/file-formats-and-limits";
import { receiveUpload, storeUpload } from "./uploads";

const MAX_REDIRECTS = 5;

/**
 * @param options.isForAdmin allows private addresses that the operator permits
 * @param options.within time limit in milliseconds
 * @returns the file, or text to append to "could not be fetched"
 */
export async function fetchFile(
  platen: Platen,
  blog: { id: number },
  address: string,
  options: { isForAdmin: boolean; within: number; maxBytes?: number },
): Promise<StoredBlob | { failed: string }> {
  const { isForAdmin, within, maxBytes = MAX_FILE_BYTES.video } = options;
  try {
    const response = await guardedClient(platen.config).send({
      url: address,
      headers: { accept: "image/*,video/*;q=0.9" },
      redirects: MAX_REDIRECTS,
      isForAdmin,
      within,
    });
    if ("failed" in response) return notFetched(platen, address, response.failed);
    if (response.statusCode !== 200) {
      response.close();
      return notFetched(platen, address, `the server returned ${response.statusCode}`);
    }
    const filename = new URL(response.url).pathname.split("/").at(-1) ?? "";
    const decoded = percentDecoded(filename) ?? filename;
    const received = await receiveUpload(platen, bodyWithin(response, maxBytes), decoded);
    return await storeUpload(platen, blog, received);
  } catch (error) {
    if (error instanceof Refusal) return { failed: `: ${error.message.replace(/\.$/, "")}` };
    return notFetched(platen, address, error instanceof IncompleteResponse ? error.message : String(error));
  }
}

/** The reason goes only to the log, because authors must not be able to probe the internal network. */
function notFetched(platen: Platen, address: string, reason: string): { failed: string } {
  platen.log(`A photo at ${URL.parse(address)?.host} could not be fetched: ${reason}`);
  return { failed: "" };
}
