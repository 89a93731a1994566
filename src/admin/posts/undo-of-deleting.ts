import type { Blog } from "../../blogs/blogs";
import type { PostRow } from "../../posts/post/post";
import { blogPath } from "../layout/menu-places";
import type { Toast } from "../layout/toasts-and-undo";

/** What the toast that tells of deleted posts offers: all come back, and `next` is shown. */
export function undoDeleting(blog: Blog, posts: Pick<PostRow, "id">[], next: string): Toast["undo"] {
  const id = posts.map((post) => String(post.id));
  return { action: blogPath(blog, "/posts/trash"), fields: { id, next } };
}
