import { isNull } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { rowWith } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { postOfRow } from "../parts/whole-post";
import type { Post } from "../post/post";

const postWithSlug = rowWith(posts, ["blogId", "slug"], isNull(posts.deletedAt));

/** The post that has this slug, in whatever state it is. See postMovedFrom for one that used to have it. */
export function postAtSlug(platen: Platen, blog: Blog, slug: string): Post | undefined {
  const row = postWithSlug(platen, { blogId: blog.id, slug });
  return row && postOfRow(platen, row, blog);
}
