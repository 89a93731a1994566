import { blogAtHost } from "../../blogs/finding-blogs";
import type { Call } from "../../http/requests/call";
import { requestHost } from "../../http/requests/client-address";
import type { Platen } from "../../platen";
import { queryReadAt } from "./site-routes";

/** A cached page must not depend on anything else in the request. */
export interface PageRequest {
  host: string;
  path: string;
  query: URLSearchParams;
  /** The whole query. Only redirects use it, because they are not cached. */
  search: string;
}

export function pageRequestOf(call: Call): PageRequest {
  const { pathname, search, searchParams } = call.url;
  const path = plainPath(pathname);
  const belowBlog = path.replace(/^\/@[^/]+/, "");
  const read = search === "" ? [] : queryReadAt(belowBlog).filter((name) => searchParams.has(name));
  return {
    host: requestHost(call),
    path,
    query: new URLSearchParams(read.map((name) => [name, searchParams.get(name) ?? ""])),
    search,
  };
}

/** Cache key of a page. Unknown hosts share a key, so that invented hosts do not fill the cache. */
export function plainAddress(platen: Platen, { host, path, query }: PageRequest): string {
  const base = new URL(platen.config.url);
  if (blogAtHost(platen, host)) base.hostname = host;
  return `http://${base.host}${path}${query.size > 0 ? `?${query}` : ""}`;
}

/** Decodes unreserved characters except ".": "/%61rchive" is "/archive" (RFC 3986 6.2.2.2). */
function plainPath(path: string): string {
  return path.replace(/%(?:2d|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi, decodeURIComponent);
}
