import { getSetting } from "../database/instance-settings";
import type { Platen } from "../platen";
import { baseHost, previousPlaceSetting } from "./blog-names";
import { type Blog, blogById, blogWithDomain, blogWithSlug } from "./blogs";
import { homeBlog } from "./permalinks";

/** A blog and the path below its URL: "/@slug/hello" → "/hello". The path is empty or begins with "/". */
interface AddressInBlog {
  blog: Blog;
  path: string;
}

/**
 * Finds the blog that serves a URL; undefined if none does.
 * @param host the request's host name without port; an unknown host gets the home blog
 * @param path the request's path, still percent-encoded
 */
export function blogAtAddress(platen: Platen, host: string, path: string): AddressInBlog | undefined {
  const own = blogAtHost(platen, host.toLowerCase());
  if (own) return { blog: own, path };
  const named = /^\/@([^/]+)(\/.*)?$/.exec(path);
  if (named) {
    const blog = blogWithSlugEver(platen, named[1] as string);
    return blog && { blog, path: named[2] ?? "" };
  }
  const home = homeBlog(platen);
  return home && { blog: home, path };
}

/** Finds the blog that a full URL belongs to. Unlike `blogAtAddress`, rejects unknown hosts and previous domains. */
export function blogAtUrl(platen: Platen, url: URL): AddressInBlog | undefined {
  const place = blogAtAddress(platen, url.hostname, url.pathname);
  const isOurs = url.host === new URL(platen.config.url).host || url.hostname === place?.blog.domain;
  return isOurs ? place : undefined;
}

/** The blog with this slug, else the last blog that had it. */
export function blogWithSlugEver(platen: Platen, slug: string): Blog | undefined {
  const current = blogWithSlug(platen, slug);
  if (current) return current;
  return blogPreviouslyAt(platen, `@${slug}`);
}

/** The blog with this domain, else the last one that had it. Ignores previous blogs at the base URL's host. */
export function blogAtHost(platen: Platen, host: string): Blog | undefined {
  const current = blogWithDomain(platen, host);
  return current || host === baseHost(platen) ? current : blogPreviouslyAt(platen, host);
}

function blogPreviouslyAt(platen: Platen, place: string): Blog | undefined {
  const blogId = getSetting(platen, previousPlaceSetting(place));
  return blogId === undefined ? undefined : blogById(platen, Number(blogId));
}

/** The blog whose domain is the base URL's host, and which therefore replaces the home blog. */
export function blogInPlaceOfHome(platen: Platen): Blog | undefined {
  const found = blogWithDomain(platen, baseHost(platen));
  return found && found.id !== homeBlog(platen)?.id ? found : undefined;
}
