import { blogAtHost } from "../../blogs/blogs";
import type { Call } from "../../http/requests/call";
import { requestHost } from "../../http/requests/client-address";
import type { Platen } from "../../platen";
import { queryReadAt } from "./site-routes";

/** All of a request that the answer depends on, for everybody who is not signed in. */
export interface PageRequest {
  host: string;
  path: string;
  /** The parameters that the page at this path reads; others make no page of their own. */
  query: URLSearchParams;
  /** The whole query. For redirects only, which are not kept: it is no part of the cache's key. */
  search: string;
}

export function pageRequestOf(call: Call): PageRequest {
  const { pathname, search, searchParams } = call.url;
  const path = plainPath(pathname);
  // There may be no such blog; then no page reads anything.
  const belowBlog = path.replace(/^\/@[^/]+/, "");
  const read = search === "" ? [] : queryReadAt(belowBlog).filter((name) => searchParams.has(name));
  return {
    host: requestHost(call),
    path,
    query: new URLSearchParams(read.map((name) => [name, searchParams.get(name) ?? ""])),
    search,
  };
}

/**
 * The address that all requests for the same page are one with, by which it is kept: the one in its links, as a request
 * for it has it. Hosts that are no blog's are shown the home blog.
 */
export function plainAddress(platen: Platen, { host, path, query }: PageRequest): string {
  const base = new URL(platen.config.url);
  if (blogAtHost(platen, host)) base.hostname = host;
  return `http://${base.host}${path}${query.size > 0 ? `?${query}` : ""}`;
}

/** Decodes what need not be encoded: "/%61rchive" is "/archive" (RFC 3986 6.2.2.2). */
function plainPath(path: string): string {
  return path.replace(/%(?:2d|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi, decodeURIComponent);
}
