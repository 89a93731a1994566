import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { blogPath } from "../layout/layout";

type WithSlug = { slug: string };

/** Path of a post's komment form. */
export function kommentPath(platen: Platen, blog: Blog, { slug }: WithSlug): string {
  return `${blogPath(platen, blog)}komments/${encodeURIComponent(slug)}`;
}

/** Path of a post's contact form. */
export function contactPath(platen: Platen, blog: Blog, post: WithSlug): string {
  return `${kommentPath(platen, blog, post)}/contact`;
}

/** Path of a komment's private page, for its author. */
export function privatePath(platen: Platen, blog: Blog, secret: string): string {
  return `${blogPath(platen, blog)}komments/mine/${secret}`;
}
