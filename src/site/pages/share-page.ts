import { blogUrl, postUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { isLive, type Post } from "../../posts/post/post";
import { withAbsoluteAddresses } from "../../text/absolute-addresses";
import { type Html, type HtmlValue, html, raw } from "../../text/html";
import { say, type Word } from "../../text/words/words";
import { blogLayout } from "../layout/layout";
import { article, contentForReaders, titleAndDescription } from "./post-page";

export async function sharePage(platen: Platen, post: Post): Promise<Html> {
  const content = contentForReaders(platen, post);
  return await unlistedPage(platen, post, content, say(post.blog, "onlyWithLink"));
}

/** @param reason why this reader can see the post, as a sentence */
export async function unlistedPage(platen: Platen, post: Post, content: Html | null, reason: HtmlValue) {
  // The share link may be on another host than the blog.
  const base = blogUrl(platen, post.blog);
  const isPublic = isLive(post, platen.now());
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
    canonical: isPublic ? postUrl(platen, post.blog, post) : undefined,
    isUnlisted: true,
    base,
    main: html`${isPublic ? null : html`<p class="notice">${say(post.blog, stateWord(post))} ${reason}</p>`}
${raw(shown)}`,
  });
}

function stateWord({ status }: Post): Word {
  if (status === "draft") return "isDraft";
  return status === "archived" ? "isArchived" : "isScheduled";
}
