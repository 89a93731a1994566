import { type Html, html } from "../../text/html";

/** A link to the parent page, above the heading. */
export function wayUp(address: string, name: string): Html {
  return html`<p class="up"><a href="${address}">${name}</a></p>`;
}

/** Previous and next page of a list; null if one page holds all. @param page may be past the last */
export function pageLinks(page: number, pages: number, addressOf: (page: number) => string): Html | null {
  if (pages < 2) return null;
  const to = (other: number, rel: string, words: string) =>
    html`<a class="button quiet" rel="${rel}" href="${addressOf(other)}">${words}</a>`;
  return html`<nav class="page-links" aria-label="Pages">
${page > 1 ? to(Math.min(page - 1, pages), "prev", "Previous") : html`<span></span>`}
<span>${page} of ${pages}</span>
${page < pages ? to(page + 1, "next", "Next") : html`<span></span>`}
</nav>`;
}
