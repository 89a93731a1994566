import type { Blog } from "../../blogs/blogs";
import type { Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import { ERROR_STATUS, errorHeaders } from "../../http/responses/error-responses";
import { privatePageResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { languageOf, type PostRow } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { word } from "../../text/words/words";
import { blogLayout, blogPath, type Page } from "../layout/layout";
import { displayTitle } from "../titles-dates-and-languages";

export type ReaderRequest = { platen: Platen; blog: Blog; call: Call; isSubmitted: boolean };

/** With `refusal`, the page shows a rejected form again. */
type Options = Pick<Page, "hasNoForm"> & { status?: number; refusal?: Refusal };

export function readerPage(platen: Platen, blog: Blog, title: string, body: Html, options: Options = {}) {
  const { hasNoForm, refusal, status = refusal && ERROR_STATUS[refusal.kind] } = options;
  const main = html`<h1>${title}</h1>\n${body}`;
  const page = blogLayout(platen, blog, { title, isUnlisted: true, isInEnglish: true, hasNoForm, main });
  // Not "no-referrer", because browsers would send the form's Origin as "null".
  const headers = { "referrer-policy": "same-origin", ...(refusal && errorHeaders(refusal)) };
  return privatePageResponse(page, status, headers);
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
