import { accountById } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { languageOf, type PostRow } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { blogLayout, blogPath } from "../layout/layout";
import { displayTitle } from "../text/title-and-summary";

/** A page with one message for one reader. */
export function noticePage(platen: Platen, blog: Blog, title: string, body: Html): Html {
  return blogLayout(platen, blog, {
    title,
    isUnlisted: true,
    isInEnglish: true,
    main: html`<h1>${title}</h1>\n${body}`,
  });
}

/** @param address may contain a fragment */
export function postLink(
  platen: Platen,
  blog: Blog,
  post: PostRow,
  address = blogPath(platen, blog) + post.slug,
): Html {
  return html`<a href="${address}" lang="${languageOf(post, blog)}" dir="auto">${displayTitle(platen, post)}</a>`;
}

export function ownerName(platen: Platen, blog: Blog): string {
  return accountById(platen, blog.accountId)?.name ?? blog.title;
}

type WithSlug = { slug: string };

/** Path of a post's komment form. */
export function kommentPath(platen: Platen, blog: Blog, { slug }: WithSlug): string {
  return `${blogPath(platen, blog)}komments/${encodeURIComponent(slug)}`;
}

/** Path of a post's contact form. */
export function contactPath(platen: Platen, blog: Blog, post: WithSlug): string {
  return `${kommentPath(platen, blog, post)}/contact`;
}

/** Path of a komment's private page, for its author. */
export function privatePath(platen: Platen, blog: Blog, secret: string): string {
  return `${blogPath(platen, blog)}komments/mine/${secret}`;
}
