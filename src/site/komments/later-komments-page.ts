import { postUrl } from "../../blogs/permalinks";
import { countPublicKomments, KOMMENTS_A_PAGE, pageOfKomment } from "../../komments/public-komments";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { blogLayout, blogPath } from "../layout/layout";
import { pageAddress, pageNumber } from "../layout/pagination";
import { displayTitle } from "../text/title-and-summary";
import { word } from "../words/words";
import { kommentSection } from "./komment-section";

/** Query parameters that select komments. */
export const KOMMENT_QUERY = ["komments", "komment"] as const;

/** @returns the requested page of komments (1 is the post itself), or the URL to redirect to */
export function kommentsAsked(platen: Platen, post: Post, query: URLSearchParams): number | URL {
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

/** Page 2 and later of the komments. */
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
