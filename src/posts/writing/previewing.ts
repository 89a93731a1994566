import type { Blog } from "../../blogs/blogs";
import { rowOf } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { contentOf } from "../parts/post-content";
import type { Post, WholePost } from "../post/post";
import { checkedChanges, type PostChanges } from "./post-changes";
import type { Rendered } from "./rendered-content";
import { contentAfter } from "./saved-content";

/** The post as it would be with these changes; nothing is saved. @param before null: it would be a new one @throws Refusal (invalid) */
export function previewedPost(
  platen: Platen,
  blog: Blog,
  before: Post | null,
  wish: PostChanges,
  rendered: Rendered,
): WholePost {
  const changes = checkedChanges(wish);
  const post = before ?? unwrittenPost(platen, blog);
  const { content, present } = contentAfter(platen, blog, before, changes, post.properties, rendered);
  const said = content ?? present?.whole() ?? contentOf(platen, post.id);
  return { ...post, title: changes.title ?? post.title, altText: changes.altText ?? post.altText, ...said };
}

function unwrittenPost(platen: Platen, blog: Blog): Post {
  const at = platen.now();
  const row = {
    id: 0,
    blogId: blog.id,
    status: "draft",
    title: "",
    slug: "",
    // Null would be one that is found in what is stored.
    excerpt: "",
    createdAt: at,
    updatedAt: at,
  } as const;
  return { ...rowOf(posts, row), blog, category: null, tags: [], attachments: [] };
}
