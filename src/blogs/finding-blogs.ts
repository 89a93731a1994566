import { getSetting } from "../database/instance-settings";
import type { Platen } from "../platen";
import { baseHost, previousPlaceSetting } from "./blog-names";
import { type Blog, blogById, blogWithDomain, blogWithSlug } from "./blogs";
import { homeBlog } from "./permalinks";

/** `path` is "" or begins with "/". It is below the blog's URL: "/hello" for "/@slug/hello". */
export interface AddressInBlog {
  blog: Blog;
  path: string;
}

/**
 * @param host host name without port; an unknown host counts as the host of the base URL
 * @param path percent-encoded
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

/** Unlike `blogAtAddress`, returns undefined for unknown hosts and for previous domains. */
export function blogAtUrl(platen: Platen, url: URL): AddressInBlog | undefined {
  const place = blogAtAddress(platen, url.hostname, url.pathname);
  const isOurs = url.host === new URL(platen.config.url).host || url.hostname === place?.blog.domain;
  return isOurs ? place : undefined;
}

export function blogWithSlugEver(platen: Platen, slug: string): Blog | undefined {
  return blogWithSlug(platen, slug) ?? blogPreviouslyAt(platen, `@${slug}`);
}

/** Finds no previous blog at the base URL's host. */
export function blogAtHost(platen: Platen, host: string): Blog | undefined {
  const current = blogWithDomain(platen, host);
  return current || host === baseHost(platen) ? current : blogPreviouslyAt(platen, host);
}

function blogPreviouslyAt(platen: Platen, place: string): Blog | undefined {
  const blogId = getSetting(platen, previousPlaceSetting(place));
  return blogId === undefined ? undefined : blogById(platen, Number(blogId));
}

/** If a blog's domain is the host of the base URL, that blog replaces the home blog. */
export function blogInPlaceOfHome(platen: Platen): Blog | undefined {
  const found = blogWithDomain(platen, baseHost(platen));
  return found && found.id !== homeBlog(platen)?.id ? found : undefined;
}
