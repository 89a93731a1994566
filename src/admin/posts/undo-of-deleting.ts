import type { Blog } from "../../blogs/blogs";
import type { PostRow } from "../../posts/post/post";
import { blogPath } from "../layout/menu-places";
import type { Toast } from "../layout/toasts-and-undo";

/** The undo of a toast: restores the posts, then shows `next`. */
export function undoDeleting(blog: Blog, posts: Pick<PostRow, "id">[], next: string): Toast["undo"] {
  const id = posts.map((post) => String(post.id));
  return { action: blogPath(blog, "/posts/trash"), fields: { id, next } };
}
