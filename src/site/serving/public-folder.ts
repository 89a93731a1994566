import { blogAtAddress } from "../../blogs/blog-addresses";
import type { Blog } from "../../blogs/blogs";
import { type PublicFile, publicFileAt, publicFilesOf } from "../../blogs/public-files";
import type { Call } from "../../http/requests/call";
import type { Platen } from "../../platen";
import { postAtSlug } from "../../posts/reading/finding-posts";
import { decodeSegments } from "../../text/clean-text";
import { fileResponse } from "./media-routes";
import type { PageRequest } from "./page-requests-and-responses";
import { canonicalBlogUrl } from "./redirects";
import { routeAt } from "./site-routes";

const REPLACEABLE = /^\/(?:favicon\.(?:ico|svg)|icon-\d+\.png|robots\.txt|\.well-known\/security\.txt)$/;

export function mayBeReplaced(path: string): boolean {
  return REPLACEABLE.test(path.replace(/^\/@[^/]+/, ""));
}

/** Posts and Platen's own paths take precedence over the owner's files, except at REPLACEABLE paths. */
export async function ownFileResponse({ platen, request }: Call, pageRequest: PageRequest) {
  const place = blogAtAddress(platen, pageRequest.host, pageRequest.path);
  if (!place) return null;
  const { blog, path: below } = place;
  if (canonicalBlogUrl(platen, place, pageRequest)) return null;
  const names = decodeSegments(below.slice(1));
  const file = names && isFree(platen, blog, names) ? await publicFileAt(platen, blog, names) : null;
  return file && fileResponse(request, file.path, file.stats, headersOf(file));
}

export async function ownFilesOf(platen: Platen, blog: Blog): Promise<string[]> {
  return (await publicFilesOf(platen, blog)).filter((path) => isFree(platen, blog, path.split("/")));
}

function isFree(platen: Platen, blog: Blog, names: string[]): boolean {
  const path = `/${names.join("/")}`;
  if (!REPLACEABLE.test(path) && routeAt(path)) return false;
  // Drafts count too, because the file would disappear when the draft is published.
  return names.length > 1 || !postAtSlug(platen, blog, names[0] as string);
}

const OWN_FILE_POLICY = "default-src 'self' 'unsafe-inline' data:; frame-ancestors 'self'";
const DOCUMENT_TYPE = /html|xml|svg/;

function headersOf({ path, stats }: PublicFile): Record<string, string> {
  const hasExtension = /[^/]\.[^./]+$/.test(path);
  const type = hasExtension ? Bun.file(path).type : "text/plain; charset=utf-8";
  return {
    "content-type": type,
    // The sandbox blocks scripts, because the owner's files may share the admin's origin.
    "content-security-policy": DOCUMENT_TYPE.test(type) ? `${OWN_FILE_POLICY}; sandbox` : OWN_FILE_POLICY,
    "cache-control": "public, max-age=300",
    "x-content-type-options": "nosniff",
    // Lets web apps read the files and other sites use the fonts.
    "access-control-allow-origin": "*",
    etag: `"${stats.size.toString(36)}-${Math.floor(stats.mtimeMs).toString(36)}"`,
  };
}
