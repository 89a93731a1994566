import type { Blog } from "../../blogs/blogs";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import type { Post, PostRow } from "../post/post";
import { indexPost, removeFromIndex } from "../search/search-index";
import { unusedSlug } from "../storage/slugs";
import { contentOf, postOfRow } from "../storage/stored-posts";
import { recordEventIfDue, recordPostEvent, updatePostFields } from "../writing/saving";

export function deletePost(platen: Platen, post: Post): void {
  const at = platen.now();
  inTransaction(platen, () => {
    recordEventIfDue(platen, post, at);
    const after = updatePostFields(platen, post.id, { deletedAt: at });
    removeFromIndex(platen, post.id);
    recordPostEvent(platen, { blog: post.blog, after, at });
  });
}

/** The post gets another slug if its own is taken. */
export function undeletePost(platen: Platen, blog: Blog, deleted: PostRow): Post {
  return inTransaction(platen, () => {
    const at = platen.now();
    const slug = unusedSlug(platen, blog.id, deleted.slug, deleted.id);
    const row = updatePostFields(platen, deleted.id, { deletedAt: null, slug, updatedAt: at });
    indexPost(platen, row, contentOf(platen, row.id).text);
    recordPostEvent(platen, { blog, after: row, at });
    return postOfRow(platen, row, blog);
  });
}
