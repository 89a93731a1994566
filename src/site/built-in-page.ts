import type { Blog } from "../blogs/blogs";
import type { ReservedPath } from "../blogs/slug";
import type { Platen } from "../platen";

/** A built-in page or document of every blog. */
export interface Route<Shown> {
  /** Path below the blog's address. src/blogs/slug.ts reserves its first segment. */
  path: ReservedPath;
  /** Query parameters that change the page. */
  reads?: readonly string[];
  /** @param name the path segment at ":slug" @returns null if there is nothing to show */
  show(request: BlogRequest, name: string): Shown | null;
}

export interface BlogRequest {
  platen: Platen;
  blog: Blog;
  query: URLSearchParams;
}

/** A response that is not a page: a feed, a sitemap, an image. */
export interface Document {
  contentType: string;
  body: string | Uint8Array;
  /** True if the content at this URL never changes. */
  isImmutable?: boolean;
  /** Value of the Link header. */
  links?: string;
}
