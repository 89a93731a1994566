import { stat } from "node:fs/promises";
import { Elysia } from "elysia";
import { matchesEtag } from "../../http/answers/answer";
import { type Call, calls } from "../../http/requests/call";
import { blobInFolder } from "../../media/files/blobs";
import { contentTypeOf } from "../../media/files/file-formats";
import { FOLDER_NAME, mediaFolder } from "../../media/files/media-folder";
import { ensureDerived } from "../../media/images/renditions";
import type { Platen } from "../../platen";

/** A file never changes at its address; and should a browser take one for a page, that page may do nothing. */
const HEADERS = {
  "cache-control": "public, max-age=31536000, immutable",
  "x-content-type-options": "nosniff",
  "content-security-policy":
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
};

/** Uploaded files and what is derived from them. The path is the path on disk. */
export const mediaRoutes = (platen: Platen) =>
  new Elysia()
    .use(calls(platen))
    .get("/media/*", ({ call }) => serve(call))
    .head("/media/*", ({ call }) => serve(call));

async function serve({ platen, request, url }: Call): Promise<Response> {
  const [folder = "", ...names] = segmentsOf(url);
  if (!FOLDER_NAME.test(folder)) return nothingHere();
  if (names.length === 1 && isServed(names[0])) return answer(request, mediaFolder(platen, folder, names[0]));
  if (names.length !== 2 || names[0] !== "sizes" || !isServed(names[1])) return nothingHere();
  const path = mediaFolder(platen, folder, "sizes", names[1]);
  const blob = (await fileAt(path)) ? undefined : blobInFolder(platen, folder);
  if (blob) await ensureDerived(platen, blob, names[1]);
  return answer(request, path);
}

/** Decoded one by one; what cannot be decoded is no name of ours. */
function segmentsOf({ pathname }: URL): string[] {
  const path = pathname.slice("/media/".length);
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** Files beginning with a dot are the owner's alone. Bun appends nothing to a path, so a name is one file or none. */
function isServed(name: string | undefined): name is string {
  return name !== undefined && !/^\.|[/\\\0]/.test(name) && contentTypeOf(name) !== undefined;
}

/** Bun answers Range by itself for a file's body: 206 and 416. */
async function answer(request: Request, path: string): Promise<Response> {
  const file = await fileAt(path);
  if (!file) return nothingHere();
  const etag = `"${file.size.toString(36)}-${Math.floor(file.mtimeMs).toString(36)}"`;
  const headers: Record<string, string> = { ...HEADERS, etag, "content-type": contentTypeOf(path) as string };
  // Bun says so itself where it answers with a piece, and would say it twice.
  if (!request.headers.has("range")) headers["accept-ranges"] = "bytes";
  if (matchesEtag(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  return new Response(Bun.file(path), { headers });
}

async function fileAt(path: string) {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? found : null;
}

function nothingHere(): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return new Response("There is no such file.\n", { status: 404, headers });
}
