import { LARGEST } from "../../config/request-limits";
import { busy } from "../../errors";
import type { Bytes } from "../responses/response";

const CHUNK = 64 * 1024;
/** In seconds. */
const RETRY_AFTER = 30;

/** Bytes of large responses that clients have not read yet. The memory is the process's, so the count is too. */
let unread = 0;

/**
 * A large body as a stream that counts until the client has read it or is gone: clients that read nothing cannot fill the
 * memory. @throws Refusal (busy) if too much is unread
 */
export function withinBudget(body: Bytes): ReadableStream<Uint8Array> {
  if (unread + body.length > LARGEST.unreadResponses)
    throw busy("Too many large responses are being sent. Try again soon.", RETRY_AFTER);
  let sent = 0;
  let counted = 0;
  const count = (bytes: number) => {
    counted += bytes;
    unread += bytes;
  };
  return new ReadableStream(
    {
      pull(controller) {
        // Counted from the first read on: a stream that is never read is never cancelled either.
        if (sent === 0) count(body.length);
        controller.enqueue(body.subarray(sent, sent + CHUNK));
        sent += CHUNK;
        if (sent < body.length) return;
        controller.close();
        count(-counted);
      },
      cancel: () => count(-counted),
    },
    { highWaterMark: 0 },
  );
}
