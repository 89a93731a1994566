import type { Blog } from "../../blogs/blogs";
import { rowOf } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { contentOf } from "../parts/post-content";
import type { Post, WholePost } from "../post/post";
import type { Author } from "./author";
import { checkedChanges, type PostChanges } from "./post-changes";
import { prepareContent } from "./preparing-content";

/** The post as it would be with these changes; nothing is saved. @param before null for a new post @throws Refusal (invalid) */
export async function previewPost(
  platen: Platen,
  author: Author,
  { blog, before, changes: wish }: { blog: Blog; before: Post | null; changes: PostChanges },
): Promise<WholePost> {
  const changes = checkedChanges(wish);
  const post = before ?? unwrittenPost(platen, blog);
  const { properties } = post;
  const prepared = await prepareContent(platen, author, { blog, before, changes, properties });
  const content = prepared
    ? { ...prepared.rendered, source: prepared.parts.source, sourceType: prepared.parts.sourceType }
    : contentOf(platen, post.id);
  const { html, text, source, sourceType } = content;
  const { title = post.title, altText = post.altText } = changes;
  return { ...post, title, altText, html, text, source, sourceType };
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
