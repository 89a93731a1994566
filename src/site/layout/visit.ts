import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";

/** Somebody asks a blog for something. */
export interface Visit {
  platen: Platen;
  blog: Blog;
  query: URLSearchParams;
}
