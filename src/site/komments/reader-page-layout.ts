import type { Blog } from "../../blogs/blogs";
import type { Refusal } from "../../errors";
import { ERROR_STATUS, errorHeaders } from "../../http/responses/error-responses";
import { privatePageResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { languageOf, type PostRow } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { word } from "../../text/words/words";
import { blogLayout, blogPath, type Page } from "../layout/layout";
import { displayTitle } from "../titles-dates-and-languages";

export function noticePage(platen: Platen, blog: Blog, title: string, body: Html, options?: Partial<Page>) {
  const main = html`<h1>${title}</h1>\n${body}`;
  return blogLayout(platen, blog, { title, isUnlisted: true, isInEnglish: true, main, ...options });
}

/** The referrer policy is not "no-referrer", because browsers would send the form's Origin as "null". */
export function formPageResponse(page: Html, ...[status, headers]: StatusAndHeaders) {
  return privatePageResponse(page, status, { "referrer-policy": "same-origin", ...headers });
}

export type StatusAndHeaders = [status?: number, headers?: Record<string, string>];

export function statusAndHeaders(refusal: Refusal): StatusAndHeaders {
  return [ERROR_STATUS[refusal.kind], errorHeaders(refusal)];
}

/** Mail scanners open all links, so a change needs this button. */
export function buttonForm(action: string, label: string): Html {
  return html`<form class="reader-form" method="post" action="${action}"><button>${label}</button></form>`;
}

export function backLink(platen: Platen, blog: Blog): Html {
  return html`<p><a href="${blogPath(platen, blog)}">${word(blog, "backTo", { title: blog.title })}</a></p>`;
}

/** @param address default: the post's URL */
export function postLink(platen: Platen, blog: Blog, post: PostRow, address?: string): Html {
  address ??= blogPath(platen, blog) + post.slug;
  return html`<a href="${address}" lang="${languageOf(post, blog)}" dir="auto">${displayTitle(platen, post)}</a>`;
}

type WithSlug = { slug: string };

export function kommentPath(platen: Platen, blog: Blog, { slug }: WithSlug): string {
  return `${blogPath(platen, blog)}komments/${encodeURIComponent(slug)}`;
}

export function contactPath(platen: Platen, blog: Blog, post: WithSlug): string {
  return `${kommentPath(platen, blog, post)}/contact`;
}

export function privatePath(platen: Platen, blog: Blog, secret: string): string {
  return `${blogPath(platen, blog)}komments/mine/${secret}`;
}
