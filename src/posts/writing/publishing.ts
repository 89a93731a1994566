import type { Blog } from "../../blogs/blogs";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import type { Post, PostRow } from "../post/post";
import { indexPost, removeFromIndex } from "../search/search-index";
import { contentOf } from "../storage/stored-content";
import { postOfRow } from "../storage/stored-posts";
import type { Author } from "./author";
import { recordEventIfDue, recordPostEvent } from "./post-events";
import { unusedSlug } from "./post-slug";
import { changePost, type Saved, updatePostFields } from "./saving";

export function publishPost(platen: Platen, author: Author, post: Post): Saved {
  return changePost(platen, author, post, { status: "published" });
}

/** Unpublishes a post and keeps its publication time. */
export function unpublishPost(platen: Platen, author: Author, post: Post): Saved {
  return changePost(platen, author, post, { status: "draft" });
}

export function deletePost(platen: Platen, post: Post): void {
  const at = platen.now();
  inTransaction(platen, () => {
    recordEventIfDue(platen, post, at);
    const after = updatePostFields(platen, post.id, { deletedAt: at });
    removeFromIndex(platen, post.id);
    recordPostEvent(platen, { blog: post.blog, after, at });
  });
}

/** Restores a deleted post. It gets another slug if its own is taken. */
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
