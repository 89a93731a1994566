import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../html";
import { englishLang, inEnglish } from "../text/language";

/** The number in `page`, or the parameter of that name: 1 where there is none, null where it is no number of a page. */
export function pageNumber(query: URLSearchParams, name = "page"): number | null {
  const asked = query.get(name) ?? "1";
  return /^[1-9]\d{0,8}$/.test(asked) ? Number(asked) : null;
}

/** @param address of the first page; it may have a query already */
export function pageAddress(address: string, page: number, name = "page"): string {
  if (page === 1) return address;
  return `${address}${address.includes("?") ? "&" : "?"}${name}=${page}`;
}

/** Links to the newer and older page; null where there is only one. */
export function paginationLinks(blog: Blog, address: string, page: number, hasOlder: boolean): Html | null {
  if (page === 1 && !hasOlder) return null;
  return html`<nav class="pages" aria-label="Newer and older posts"${englishLang(blog)}>
${page > 1 ? html`<a rel="prev" href="${pageAddress(address, page - 1)}">${inEnglish(blog, "← Newer posts")}</a>` : null}
${hasOlder ? html`<a rel="next" href="${pageAddress(address, page + 1)}">${inEnglish(blog, "Older posts →")}</a>` : null}
</nav>`;
}
