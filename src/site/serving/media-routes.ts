import { stat } from "node:fs/promises";
import { MINUTE, SECOND } from "../../config/units";
import type { StoredFile } from "../../database/tables/media-tables";
import type { Call } from "../../http/requests/call";
import { readHeader } from "../../http/requests/headers";
import { textErrorResponse } from "../../http/responses/error-responses";
import {
  CACHE_CONTROL,
  type HttpResponse,
  matchesEtag,
  redirect,
  sendResponse,
  textResponse,
} from "../../http/responses/response";
import { router } from "../../http/router";
import { blobInFolder } from "../../media/files/blobs";
import { contentTypeOf } from "../../media/files/file-formats-and-limits";
import { FOLDER_NAME, mediaFolder } from "../../media/files/media-folder";
import { objectKey, storeBucket } from "../../media/files/media-store";
import { pathAfterReplacement } from "../../media/files/media-urls";
import { isRendition } from "../../media/files/rendition-sizes";
import { ensureRendition, localOriginalPath, RETRY_DELAY_MS } from "../../media/renditions";
import { type ByteRange, MissingObject, StoreError } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { decodeSegments } from "../../text/clean-text";
import { permanentRedirect } from "./redirects";

export const mediaRoutes = (platen: Platen) =>
  router(platen, "media", textErrorResponse)
    .get("/media/*", async ({ call }) => sendResponse(call, await respond(call)))
    .head("/media/*", async ({ call }) => sendResponse(call, await respond(call)));

async function respond({ platen, request, url }: Call): Promise<HttpResponse> {
  const [folder = "", ...names] = decodeSegments(url.pathname.slice("/media/".length)) ?? [];
  const isRenditionPath = names.length === 2 && names[0] === "sizes";
  if (!FOLDER_NAME.test(folder) || !isServed(names.at(-1)) || !(names.length === 1 || isRenditionPath))
    return fileNotFound();
  const path = mediaFolder(platen, folder, ...names);
  const blob = blobInFolder(platen, folder);
  // Files stay on disk for a while after deletion.
  if (!blob) return fileNotFound();
  if (blob.folder !== folder) return permanentRedirect(pathAfterReplacement(blob, names));
  const local = await mediaResponse(request, path);
  if (local) return local;
  const size = names[1];
  if (size === undefined) {
    const stored = blob.atStore?.find(({ name }) => name === names[0]);
    return stored ? await storedResponse(platen, request, folder, stored) : fileNotFound();
  }
  if (!isRendition(blob, size)) return fileNotFound();
  const made = await ensureRendition(platen, blob, size);
  const rendition = made && (await mediaResponse(request, made));
  if (rendition) return rendition;
  const original = localOriginalPath(platen, blob);
  if (original !== null) return redirect(307, original, NO_STORE_HEADERS);
  return unavailable("This image size is not available right now.", RETRY_DELAY_MS / SECOND);
}

function isServed(name: string | undefined): name is string {
  return name !== undefined && !/^\.|[/\\\0]/.test(name) && contentTypeOf(name) !== undefined;
}

async function mediaResponse(request: Request, path: string): Promise<HttpResponse | null> {
  const file = await stat(path).catch(() => null);
  if (!file?.isFile()) return null;
  return fileResponse(request, path, file, fileHeaders(path, { size: file.size, modified: file.mtimeMs }));
}

const NO_STORE_HEADERS = { "cache-control": CACHE_CONTROL.noStore, "x-content-type-options": "nosniff" };

function unavailable(reason: string, retryAfter: number): HttpResponse {
  const headers = { ...NO_STORE_HEADERS, "retry-after": String(retryAfter) };
  return textResponse(503, `${reason} Try again later.`, headers);
}

/** A file never changes at its URL. The policy stops scripts if a browser opens the file as a page. */
const MEDIA_HEADERS = {
  "cache-control": CACHE_CONTROL.immutable,
  "x-content-type-options": "nosniff",
  "content-security-policy":
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
};

/** @param modified milliseconds since 1970 */
function fileHeaders(name: string, { size, modified }: FileSize & { modified: number }): Headers {
  const headers = new Headers(MEDIA_HEADERS);
  headers.set("content-type", contentTypeOf(name) as string);
  headers.set("etag", `"${size.toString(36)}-${Math.floor(modified).toString(36)}"`);
  return headers;
}

function fileNotFound(): HttpResponse {
  return textResponse(404, "There is no such file.", { "x-content-type-options": "nosniff" });
}

/** Streams from S3. Bun streams have no Content-Length, so players learn the size from Content-Range. */
async function storedResponse(platen: Platen, request: Request, folder: string, stored: StoredFile) {
  const headers = fileHeaders(stored.name, stored);
  headers.set("accept-ranges", "bytes");
  const etag = headers.get("etag") as string;
  const part = parseRange(request, etag, stored);
  const ifNoneMatch = readHeader(request, "if-none-match");
  if (ifNoneMatch !== null && matchesEtag(ifNoneMatch, etag)) return { status: 200, headers, body: null };
  if (request.method === "HEAD") return { status: 200, headers, body: bodyOfLength(stored.size) };
  if (part === "none") {
    headers.set("content-range", `bytes */${stored.size}`);
    return { status: 416, headers, body: null };
  }
  if (part) headers.set("content-range", `bytes ${part.from}-${part.to}/${stored.size}`);
  try {
    const key = objectKey(folder, stored.name);
    const bucket = storeBucket(platen);
    if (!bucket) throw new StoreError(`${key} is in an object store, but none is set up.`);
    const body = await bucket.stream(key, stored.size, part ?? undefined);
    return { status: part ? 206 : 200, headers, body };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    logStoreError(platen, error);
    if (error instanceof MissingObject) return fileNotFound();
    return unavailable("This file is on storage that cannot be reached right now.", STORE_RETRY_SECONDS);
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

const STORE_RETRY_SECONDS = 30;
const lastErrors = new WeakMap<Platen, { message: string; at: number }>();

function logStoreError(platen: Platen, { message }: StoreError): void {
  const at = platen.now().getTime();
  const last = lastErrors.get(platen);
  if (last && last.message === message && Math.abs(at - last.at) < MINUTE) return;
  lastErrors.set(platen, { message, at });
  platen.log(`A file in the object store could not be sent: ${message}`);
}

const BLANK = new Uint8Array(1_048_576);

type FileSize = { size: number };

/** Bun handles Range requests for a file body, with status 206 or 416. */
export function fileResponse(request: Request, path: string, { size }: FileSize, headers: HeadersInit) {
  const sent = new Headers(headers);
  // Bun itself adds the header to 206 responses.
  if (readHeader(request, "range") === null) sent.set("accept-ranges", "bytes");
  if (request.method === "HEAD") return { status: 200, headers: sent, body: bodyOfLength(size) };
  return { status: 200, headers: sent, body: Bun.file(path) };
}

/** Elysia counts the bytes of a HEAD response's body. This body saves reading a whole video. */
function bodyOfLength(length: number): ReadableStream<Uint8Array> {
  let remaining = length;
  return new ReadableStream({
    pull(controller) {
      if (remaining > 0) controller.enqueue(BLANK.subarray(0, Math.min(remaining, BLANK.length)));
      remaining -= BLANK.length;
      if (remaining <= 0) controller.close();
    },
  });
}
