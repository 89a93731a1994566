import type { Blog } from "../../blogs/blogs";
import { blogAtAddress } from "../../blogs/permalinks";
import { type PublicFile, publicFileAt, publicFilesOf } from "../../blogs/public-files";
import type { Call } from "../../http/requests/call";
import type { HttpResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { postAtSlug } from "../../posts/reading/finding-posts";
import { fileAnswer } from "./file-answer";
import type { PageRequest } from "./page-request";
import { blogAddressInstead } from "./redirects";
import { documentAt, pageAt } from "./site-routes";

/** Documents of Platen's that an own file takes the place of. */
const REPLACEABLE = /^\/(?:favicon\.(?:ico|svg)|icon-\d+\.png|robots\.txt|\.well-known\/security\.txt)$/;

/** Whether an own file comes before what Platen answers at this path. */
export function mayBeReplaced(path: string): boolean {
  return REPLACEABLE.test(path.replace(/^\/@[^/]+/, ""));
}

/** The owner's file at this address of a blog; null if there is none, or Platen or a post has the address. */
export async function ownFileAnswer(
  { platen, request }: Call,
  asked: PageRequest,
): Promise<HttpResponse | null> {
  const place = blogAtAddress(platen, asked.host, asked.path);
  if (!place) return null;
  const { blog, path: below } = place;
  const prefix = asked.path.slice(0, asked.path.length - below.length);
  if (blogAddressInstead(platen, blog, { host: asked.host, prefix, below })) return null;
  const names = namesIn(below);
  const file = names && isFree(platen, blog, names) ? await publicFileAt(platen, blog, names) : null;
  return file && fileAnswer(request, file.path, file.stats, headersOf(file));
}

/** Paths of the files that `ownFileAnswer` answers with. */
export async function ownFilesOf(platen: Platen, blog: Blog): Promise<string[]> {
  return (await publicFilesOf(platen, blog)).filter((path) => isFree(platen, blog, path.split("/")));
}

function isFree(platen: Platen, blog: Blog, names: string[]): boolean {
  const path = `/${names.join("/")}`;
  if (!REPLACEABLE.test(path) && (documentAt(path) || pageAt(path))) return false;
  // A draft has its address too: its file would vanish when the draft is published.
  return names.length > 1 || !postAtSlug(platen, blog, names[0] as string);
}

/** Decoded after the split, so that no "%2F" makes a segment. */
function namesIn(path: string): string[] | null {
  try {
    return path.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return null;
  }
}

const TEXT = "text/plain; charset=utf-8";

/** Documents share their origin with the admin: a browser shows them, and runs no script in them. */
const POLICY = "default-src 'self' 'unsafe-inline' data:; frame-ancestors 'self'";
const DOCUMENT_TYPE = /html|xml|svg/;

function headersOf({ path, stats }: PublicFile): Record<string, string> {
  const hasExtension = /[^/]\.[^./]+$/.test(path);
  const type = hasExtension ? Bun.file(path).type : TEXT;
  return {
    "content-type": type,
    "content-security-policy": DOCUMENT_TYPE.test(type) ? `${POLICY}; sandbox` : POLICY,
    "cache-control": "public, max-age=300",
    "x-content-type-options": "nosniff",
    // Apps read files below .well-known from their own pages, and fonts are read from other hosts.
    "access-control-allow-origin": "*",
    etag: `"${stats.size.toString(36)}-${Math.floor(stats.mtimeMs).toString(36)}"`,
  };
}
