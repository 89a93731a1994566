import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import { languageOf, type Post } from "../../posts/post/post";
import { type ArchivePost, adjacentPosts } from "../../posts/reading/public-posts";
import { type Html, html } from "../../text/html";
import { englishLang, say, type Word, word } from "../../text/words/words";
import { displayTitle, partLanguage } from "../titles-dates-and-languages";

export function pageNumber(query: URLSearchParams, name = "page"): number | null {
  const text = query.get(name) ?? "1";
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

export function pageAddress(address: string, page: number, name = "page"): string {
  if (page === 1) return address;
  return `${address}${address.includes("?") ? "&" : "?"}${name}=${page}`;
}

export function paginationLinks(blog: Blog, address: string, page: number, hasOlder: boolean): Html | null {
  if (page === 1 && !hasOlder) return null;
  return html`<nav class="pages" aria-label="${word(blog, "newerAndOlderPosts")}"${englishLang(blog)}>
${page > 1 ? html`<a rel="prev" href="${pageAddress(address, page - 1)}">${say(blog, "newerPosts")}</a>` : null}
${hasOlder ? html`<a rel="next" href="${pageAddress(address, page + 1)}">${say(blog, "olderPosts")}</a>` : null}
</nav>`;
}

const MAX_LINK_TITLE = 60;

export function adjacentPostLinks(platen: Platen, post: Post, base: string): Html | null {
  const { newer, older } = adjacentPosts(platen, post);
  if (!newer && !older) return null;
  const { blog } = post;
  const english = englishLang(blog);
  const link = (to: ArchivePost, rel: "prev" | "next", key: Word) =>
    html`<a rel="${rel}" href="${base}${to.slug}"><small>${say(blog, key)}</small> <bdi${partLanguage(languageOf(to, blog), english ? "en" : blog.language)}>${excerpt(displayTitle(platen, to), MAX_LINK_TITLE)}</bdi></a>`;
  return html`<nav class="pages" aria-label="${word(blog, "newerAndOlderPosts")}"${english}>
${newer && link(newer, "prev", "newer")}
${older && link(older, "next", "older")}
</nav>`;
}

export const MAX_QUERY_LENGTH = 200;

export function searchForm(blog: Blog, base: string, words = ""): Html {
  return html`<form class="search" role="search" action="${base}search">
<label for="q"${englishLang(blog)}>${word(blog, "searchTerms")}</label>
<input id="q" name="q" type="search" value="${words}" maxlength="${MAX_QUERY_LENGTH}" required enterkeyhint="search">
<button${englishLang(blog)}>${word(blog, "search")}</button>
</form>`;
}
