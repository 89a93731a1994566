import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../html";
import { english, inEnglish } from "../text/language";

/** "3" → 3 and nothing → 1; null for what is no page's number. */
export function pageAsked(query: URLSearchParams): number | null {
  const asked = query.get("page") ?? "1";
  return /^[1-9]\d{0,8}$/.test(asked) ? Number(asked) : null;
}

/** @param address of the first page; it may have a query already */
export function addressOfPage(address: string, page: number): string {
  if (page === 1) return address;
  return `${address}${address.includes("?") ? "&" : "?"}page=${page}`;
}

/** The way on and back; nothing where all is on one page. */
export function pageLinks(blog: Blog, address: string, page: number, hasOlder: boolean): Html | null {
  if (page === 1 && !hasOlder) return null;
  return html`<nav class="pages" aria-label="Pages"${english(blog)}>
${page > 1 ? html`<a rel="prev" href="${addressOfPage(address, page - 1)}">${inEnglish(blog, "← Newer posts")}</a>` : null}
${hasOlder ? html`<a rel="next" href="${addressOfPage(address, page + 1)}">${inEnglish(blog, "Older posts →")}</a>` : null}
</nav>`;
}
