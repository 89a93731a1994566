import type { Blog } from "../blogs/blogs";
import type { ReservedPath } from "../blogs/slug";
import type { Platen } from "../platen";

/** A page or document that every blog has. */
export interface Route<Shown> {
  /** Path below the blog's address. src/blogs/slug.ts reserves its first segment. */
  path: ReservedPath;
  /** The names in the query that make another page of it. */
  reads?: readonly string[];
  /** @param name what stands in the path's place for one: ":slug" @returns null where there is nothing to show */
  show(request: BlogRequest, name: string): Shown | null;
}

/** The input of a blog's pages and documents. */
export interface BlogRequest {
  platen: Platen;
  blog: Blog;
  query: URLSearchParams;
}

/** A response that is not a page: a feed, a sitemap, an image. */
export interface Document {
  contentType: string;
  body: string | Uint8Array;
  /** Nothing else will ever be at its address. */
  isImmutable?: boolean;
  /** Value of the Link header. */
  links?: string;
}
