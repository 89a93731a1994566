import type { Blog } from "../blogs/blogs";
import type { ReservedPath } from "../blogs/slug";
import type { Platen } from "../platen";
import type { Html } from "../text/html";

export interface Route {
  path: ReservedPath;
  /** The page gets only these query parameters. */
  reads?: readonly string[];
  /** @param name the path segment at ":slug" @returns null if there is nothing to show */
  show(request: BlogRequest, name: string): Shown | Promise<Shown>;
}

type Shown = Html | Document | null;

export interface BlogRequest {
  platen: Platen;
  blog: Blog;
  query: URLSearchParams;
  /** Page number of a list. */
  page: number;
}

export interface Document {
  contentType: string;
  body: string | Uint8Array;
  isImmutable?: boolean;
  links?: string;
}
