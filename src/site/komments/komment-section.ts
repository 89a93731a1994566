import { type Blog, ownerName, postUrl } from "../../blogs/blogs";
import {
  countPublicKomments,
  KOMMENTS_A_PAGE,
  kommentAddress,
  type PublicKomment,
  pageOfKomment,
  publicKomments,
} from "../../komments/komment-list";
import { takesKomments } from "../../komments/komment-rules-and-events";
import { postReactions } from "../../komments/reactions";
import { websiteIn } from "../../komments/reader-input";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { type Html, html, raw } from "../../text/html";
import { grouped } from "../../text/numbers";
import { englishLang, say, word } from "../../text/words/words";
import { accessibleContent } from "../accessible-content";
import { blogLayout, blogPath } from "../layout/layout";
import { pageAddress, pageNumber } from "../layout/pagination-and-search-form";
import { displayTitle, timeWriter } from "../titles-dates-and-languages";
import { kommentPath } from "./reader-page-layout";

const MAX_REACTING_PEOPLE = 20;

export function reactionLine(platen: Platen, { id, blog }: Post): Html | null {
  const found = postReactions(platen, id, MAX_REACTING_PEOPLE);
  if (!found) return null;
  const { likes, boosts, people } = found;
  const likesSum = likes > 0 && html`${say(blog, "likes", { count: grouped(likes) })} · `;
  const boostsSum = boosts > 0 && html`${say(blog, "boosts", { count: grouped(boosts) })} · `;
  const names = people.map(
    ({ name, url }, at) => html`${at > 0 && ", "}<a rel="nofollow ugc" href="${url}"><bdi>${name}</bdi></a>`,
  );
  const more = likes + boosts > MAX_REACTING_PEOPLE && ", …";
  return html`<p class="reactions">${likesSum}${boostsSum}${names}${more}</p>`;
}

export function kommentSection(platen: Platen, post: Post, page = 1): Html | null {
  const komments = publicKomments(platen, post.id, page);
  const isOpen = takesKomments(post, platen.now());
  if (komments.length === 0 && !isOpen) return null;
  const total = countPublicKomments(platen, post.id);
  return html`<section class="komments" id="komments" aria-labelledby="komments-heading">
<h2 id="komments-heading"${englishLang(post.blog)}>${word(post.blog, "komments")}</h2>
${komments.length > 0 ? list(platen, post, komments, total > KOMMENTS_A_PAGE) : null}
${total > KOMMENTS_A_PAGE ? links(platen, post, page, total) : null}
${isOpen ? html`<p><a class="write" rel="nofollow" href="${kommentPath(platen, post.blog, post)}">${say(post.blog, "writeKomment")}</a></p>` : null}
</section>`;
}

/** With several pages, a komment may move to another page, so its URL contains no page number. */
function list(platen: Platen, { blog, slug }: Post, komments: PublicKomment[], hasPages: boolean): Html {
  const path = blogPath(platen, blog) + slug;
  const context: ListContext = {
    blog,
    owner: ownerName(platen, blog),
    formatTime: timeWriter(blog),
    addressOf: (id) => (hasPages ? kommentAddress(path, id) : `${path}#komment-${id}`),
  };
  return html`<ol>${komments.map((komment) => item(context, komment))}</ol>`;
}

interface ListContext {
  blog: Blog;
  owner: string;
  formatTime(at: Date): Html;
  addressOf(id: number): string;
}

function links(platen: Platen, { blog, slug }: Post, page: number, total: number): Html {
  const path = blogPath(platen, blog) + slug;
  const before = (page - 1) * KOMMENTS_A_PAGE;
  const last = Math.min(before + KOMMENTS_A_PAGE, total);
  const to = (other: number) => `${pageAddress(path, other, "komments")}#komments`;
  return html`<nav class="pages" aria-label="${word(blog, "pagesOfKomments")}"${englishLang(blog)}>
${page > 1 ? html`<a rel="prev" href="${to(page - 1)}">${say(blog, "earlierKomments")}</a>` : null}
<span>${say(blog, "kommentRange", { first: before + 1, last, total })}</span>
${last < total ? html`<a rel="next" href="${to(page + 1)}">${say(blog, "laterKomments")}</a>` : null}
</nav>`;
}

function item(context: ListContext, komment: PublicKomment): Html {
  const { blog, addressOf, formatTime } = context;
  const { id, createdAt, parentId, parentName } = komment;
  return html`<li class="komment u-comment h-cite" id="komment-${id}">
<p class="meta">${author(komment)} ${handle(komment)}<a class="u-url" href="${addressOf(id)}">${formatTime(createdAt)}</a>${
    parentId !== null &&
    html` <a class="parent" href="${addressOf(parentId)}">${say(blog, "replyTo", { name: html`<bdi>${parentName}</bdi>` })}</a>`
  }</p>
<div class="e-content prose" dir="auto">${raw(accessibleContent(blog, komment.html))}</div>
${answerTo(context, komment)}</li>`;
}

function answerTo(context: ListContext, { answerHtml, answeredAt }: PublicKomment): Html | null {
  const { blog, formatTime, owner } = context;
  if (answerHtml === null) return null;
  return html`<div class="answer">
<p class="meta"><strong><bdi>${owner}</bdi></strong> ${answeredAt && formatTime(answeredAt)}</p>
<div class="prose" dir="auto">${raw(accessibleContent(blog, answerHtml))}</div>
</div>
`;
}

function handle({ authorHandle, originUrl }: PublicKomment): Html | null {
  if (authorHandle === "") return null;
  return html`<a class="handle" rel="nofollow ugc" href="${originUrl}"><bdi>${authorHandle}</bdi></a> `;
}

/** `address` may be an e-mail address, which must not be shown. */
function author({ name, address }: PublicKomment): Html {
  const website = websiteIn(address);
  if (!website) return html`<span class="p-author h-card"><bdi>${name}</bdi></span>`;
  return html`<a class="p-author h-card" rel="nofollow ugc" href="${website}"><bdi>${name}</bdi></a>`;
}

export const KOMMENT_QUERY = ["komments", "komment"] as const;

/** @returns the requested page of komments (1 is the post itself), or the URL to redirect to */
export function requestedKommentPage(platen: Platen, post: Post, query: URLSearchParams): number | URL {
  const addressOf = (page: number, hash: string) => {
    const address = new URL(pageAddress(postUrl(platen, post.blog, post), page, "komments"));
    address.hash = hash;
    return address;
  };
  const komment = query.get("komment");
  if (komment !== null) {
    const page = /^\d{1,15}$/.test(komment) ? pageOfKomment(platen, post.id, Number(komment)) : null;
    return page === null ? addressOf(1, "komments") : addressOf(page, `komment-${Number(komment)}`);
  }
  const page = pageNumber(query, "komments");
  if (page === 1) return page;
  const last = Math.max(1, Math.ceil(countPublicKomments(platen, post.id) / KOMMENTS_A_PAGE));
  return page !== null && page <= last ? page : addressOf(last, "komments");
}

export function laterKommentsPage(platen: Platen, post: Post, page: number): Html {
  const { blog, slug } = post;
  const title = displayTitle(platen, post);
  return blogLayout(platen, blog, {
    title: word(blog, "kommentsPage", { title, page }),
    canonical: pageAddress(postUrl(platen, blog, post), page, "komments"),
    isUnlisted: post.noIndexNoFollow,
    main: html`<article class="h-entry">
<h1${post.title && html` class="p-name"`}><a class="u-url" href="${blogPath(platen, blog)}${slug}">${title}</a></h1>
${kommentSection(platen, post, page)}
</article>`,
  });
}
