import { MINUTE } from "../../config/units";
import type { StoredFile } from "../../database/tables/media-tables";
import { readHeader } from "../../http/requests/headers";
import { CACHE_CONTROL, type HttpResponse, matchesEtag, textResponse } from "../../http/responses/response";
import { objectKey, storeBucket } from "../../media/store/media-store";
import { type ByteRange, MissingObject, StoreFault } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { bodyOfLength } from "./file-answer";
import { fileHeaders, nothingHere } from "./media-headers";

/**
 * Streams a file from the store. Bun sends streams without Content-Length; Content-Range tells players the size.
 */
export async function storedAnswer(
  platen: Platen,
  request: Request,
  folder: string,
  stored: StoredFile,
): Promise<HttpResponse> {
  const headers = fileHeaders(stored.name, stored);
  headers.set("accept-ranges", "bytes");
  const etag = headers.get("etag") as string;
  const part = parseRange(request, etag, stored);
  const known = readHeader(request, "if-none-match");
  if (known !== null && matchesEtag(known, etag)) return { status: 200, headers, body: null };
  if (request.method === "HEAD") return { status: 200, headers, body: bodyOfLength(stored.size) };
  if (part === "none") {
    headers.set("content-range", `bytes */${stored.size}`);
    return { status: 416, headers, body: null };
  }
  if (part) headers.set("content-range", `bytes ${part.from}-${part.to}/${stored.size}`);
  try {
    const key = objectKey(folder, stored.name);
    const bucket = storeBucket(platen);
    if (!bucket) throw new StoreFault(`No store is known that has ${key}.`);
    const body = await bucket.stream(key, stored.size, part ?? undefined);
    return { status: part ? 206 : 200, headers, body };
  } catch (fault) {
    if (!(fault instanceof StoreFault)) throw fault;
    logStoreError(platen, fault);
    return fault instanceof MissingObject ? nothingHere() : notNow();
  }
}

/** @returns null for the whole file (also for several ranges), "none" if the range is not satisfiable */
function parseRange(request: Request, etag: string, { size }: StoredFile): ByteRange | null | "none" {
  const condition = readHeader(request, "if-range");
  if (condition !== null && condition !== etag) return null;
  const [, first = "", last = ""] =
    /^bytes=(\d{0,15})-(\d{0,15})$/.exec(readHeader(request, "range") ?? "") ?? [];
  if (first === "" && last === "") return null;
  const from = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < from) return null;
  return from > to ? "none" : { from, to };
}

/** Last logged error of the store. */
const lastErrors = new WeakMap<Platen, { says: string; at: number }>();

/** Logs the same error only now and then. */
function logStoreError(platen: Platen, { message }: StoreFault): void {
  const at = platen.now().getTime();
  const last = lastErrors.get(platen);
  if (last && last.says === message && Math.abs(at - last.at) < MINUTE) return;
  lastErrors.set(platen, { says: message, at });
  platen.log(`A file of the store could not be sent: ${message}`);
}

function notNow(): HttpResponse {
  const headers = {
    "retry-after": "30",
    "cache-control": CACHE_CONTROL.noStore,
    "x-content-type-options": "nosniff",
  };
  return textResponse(
    503,
    "This file is on storage that cannot be reached right now. Try again later.",
    headers,
  );
}
