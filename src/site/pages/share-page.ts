import { blogUrl, postUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { isLive } from "../../posts/post/live";
import type { Post } from "../../posts/post/post";
import { type Html, html, raw } from "../../text/html";
import { withAbsoluteAddresses } from "../feeds/feed-content";
import { blogLayout } from "../layout/layout";
import { article, shownContent, titleAndDescription } from "./post-page";

/** A post in whatever state, for those who have its share link. */
export async function sharePage(platen: Platen, post: Post): Promise<Html> {
  const content = shownContent(platen, post);
  return await unlistedPage(platen, post, content, "You see it because you have the link.");
}

/** The page of a post that need not be live. @param because a sentence that says why this reader sees it */
export async function unlistedPage(
  platen: Platen,
  post: Post,
  content: Html | null,
  because: string,
): Promise<Html> {
  // The blog may be on another host than the share link.
  const base = blogUrl(platen, post.blog);
  const isOut = isLive(post, platen.now());
  const { headerHtml, footerHtml } = post.blog;
  const blog = {
    ...post.blog,
    headerHtml: withAbsoluteAddresses(headerHtml, base),
    footerHtml: withAbsoluteAddresses(footerHtml, base),
  };
  const { markup } = article(platen, post, content, base);
  const shown = withAbsoluteAddresses(markup, postUrl(platen, post.blog, post));
  return blogLayout(platen, blog, {
    ...titleAndDescription(platen, post),
    canonical: isOut ? postUrl(platen, post.blog, post) : undefined,
    isUnlisted: true,
    base,
    main: html`${isOut ? null : html`<p class="notice">${stateOf(post)} ${because}</p>`}
${raw(shown)}`,
  });
}

function stateOf({ status }: Post): string {
  if (status === "draft") return "This is a draft.";
  if (status === "archived") return "This has been taken off the blog.";
  return "This is not published yet.";
}
