import { blogUrl, postUrl } from "../blogs/addresses";
import { type Html, html } from "../html";
import type { Platen } from "../platen";
import { isLive, type Post } from "../posts/post";
import { sharedPost } from "../posts/shared";
import { blogLayout } from "./layout";
import { article, headOf } from "./post";

/** A post in whatever state, for those its owner gave the link to; null where it is not shared (any more). */
export function sharePage(platen: Platen, shareId: string): Html | null {
  const post = sharedPost(platen, shareId);
  if (!post) return null;
  // The blog may live on another host than the link.
  const base = blogUrl(platen, post.blog);
  const isOut = isLive(post, platen.now());
  return blogLayout(platen, post.blog, {
    ...headOf(post),
    canonical: isOut ? postUrl(platen, post.blog, post) : undefined,
    isUnlisted: true,
    base,
    main: html`${isOut ? null : html`<p class="notice">${stateOf(post)} You see it because you have the link.</p>`}
${article(platen, post, base)}`,
  });
}

function stateOf({ status }: Post): string {
  if (status === "draft") return "This is a draft.";
  if (status === "archived") return "This has been taken off the blog.";
  return "This is not published yet.";
}
