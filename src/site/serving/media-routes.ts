import { stat } from "node:fs/promises";
import type { Call } from "../../http/requests/call";
import { textErrorResponse } from "../../http/responses/error-responses";
import {
  CACHE_CONTROL,
  type HttpResponse,
  redirect,
  sendResponse,
  textResponse,
} from "../../http/responses/response";
import { router } from "../../http/routing/router";
import { blobInFolder } from "../../media/files/blobs";
import { contentTypeOf } from "../../media/files/file-formats";
import { FOLDER_NAME, mediaFolder } from "../../media/files/media-folder";
import { pathAfterReplacement } from "../../media/files/media-urls";
import { isRendition } from "../../media/files/rendition-sizes";
import { nearestRenditionPath } from "../../media/images/nearest-rendition";
import { ensureRendition, renditionRetry } from "../../media/images/renditions";
import type { Platen } from "../../platen";
import { fileAnswer } from "./file-answer";
import { fileHeaders, nothingHere } from "./media-headers";
import { movedTo } from "./redirects";
import { storedAnswer } from "./stored-media";

/** Uploaded files and their renditions; the path below /media/ is the path on disk. */
export const mediaRoutes = (platen: Platen) =>
  router(platen, "media", textErrorResponse)
    .get("/media/*", async ({ call }) => sendResponse(call, await answer(call)))
    .head("/media/*", async ({ call }) => sendResponse(call, await answer(call)));

async function answer({ platen, request, url }: Call): Promise<HttpResponse> {
  const [folder = "", ...names] = segmentsOf(url);
  if (!FOLDER_NAME.test(folder)) return nothingHere();
  if (!isServed(names.at(-1)) || names.length > 2 || (names.length === 2 && names[0] !== "sizes"))
    return nothingHere();
  const path = mediaFolder(platen, folder, ...names);
  const blob = blobInFolder(platen, folder);
  // Files stay on disk for a while after deletion.
  if (!blob) return nothingHere();
  if (blob.folder !== folder) return movedTo(pathAfterReplacement(blob, names));
  if (await fileAt(path)) return mediaAnswer(request, path);
  const size = names[1];
  if (size === undefined) {
    const stored = blob.atStore?.find(({ name }) => name === names[0]);
    return stored ? await storedAnswer(platen, request, folder, stored) : nothingHere();
  }
  if (!isRendition(blob, size)) return nothingHere();
  const made = await ensureRendition(platen, blob, size);
  if (made) return mediaAnswer(request, made);
  const { again, isStoreAway } = renditionRetry(platen, blob);
  const instead = nearestRenditionPath(platen, blob, size, { isStoreAway });
  return instead === null ? notYet(again) : redirect(307, instead, NOT_KEPT);
}

/** Decoded after splitting, so that "%2F" makes no segment; [] if decoding fails. */
function segmentsOf({ pathname }: URL): string[] {
  const path = pathname.slice("/media/".length);
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** Names beginning with a dot are not served. */
function isServed(name: string | undefined): name is string {
  return name !== undefined && !/^\.|[/\\\0]/.test(name) && contentTypeOf(name) !== undefined;
}

async function mediaAnswer(request: Request, path: string): Promise<HttpResponse> {
  const file = await fileAt(path);
  if (!file) return nothingHere();
  return fileAnswer(request, path, file, fileHeaders(path, { size: file.size, modified: file.mtimeMs }));
}

async function fileAt(path: string) {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? found : null;
}

const NOT_KEPT = { "cache-control": CACHE_CONTROL.noStore, "x-content-type-options": "nosniff" };

/** For example if the disk is full. @param seconds until the next try */
function notYet(seconds: number): HttpResponse {
  const headers = { ...NOT_KEPT, "retry-after": String(seconds) };
  return textResponse(503, "This image size is not available right now. Try again later.", headers);
}
