import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { blogPath } from "../layout/layout";

type Named = { slug: string };

/** The page a post's komments are written on. */
export function kommentPath(platen: Platen, blog: Blog, { slug }: Named): string {
  return `${blogPath(platen, blog)}komments/${encodeURIComponent(slug)}`;
}

/** The page readers write to the owner on. */
export function contactPath(platen: Platen, blog: Blog, post: Named): string {
  return `${kommentPath(platen, blog, post)}/contact`;
}

/** A komment's private page, for its writer. No post's own pages are named like a secret. */
export function privatePath(platen: Platen, blog: Blog, secret: string): string {
  return `${blogPath(platen, blog)}komments/mine/${secret}`;
}
