import { type Html, html } from "../../text/html";
import { icon } from "./icons";

/** A link to the parent page, above the heading. */
export function parentLink(address: string, name: string): Html {
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

/** First in a bulk bar: the number of selected rows, which a script counts, and a reset button. */
export const selectionCount = html`<div class="selection"><button type="reset" class="icon-button" aria-label="Clear selection" title="Clear selection">${icon("close")}</button><output data-selected></output></div>`;
