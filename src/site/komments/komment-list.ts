import { type Html, html, raw } from "../../html";
import { takesKomments } from "../../komments/komment";
import { type PublicKomment, publicKomments } from "../../komments/public-komments";
import { websiteIn } from "../../komments/reader-input";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { blogPath } from "../layout/layout";
import { accessibleContent } from "../text/accessible-content";
import { timeWriter } from "../text/dates";
import { englishLang, inEnglish } from "../text/language";
import { ownerName } from "./komment-pages";
import { kommentPath } from "./komment-paths";

/** What readers wrote about a post, and the way to write more; belongs inside its h-entry. Null where there is neither. */
export function kommentSection(platen: Platen, post: Post): Html | null {
  const komments = publicKomments(platen, post.id);
  const isOpen = takesKomments(post, platen.now());
  if (komments.length === 0 && !isOpen) return null;
  return html`<section class="komments" id="komments" aria-labelledby="komments-heading">
<h2 id="komments-heading"${englishLang(post.blog)}>Komments</h2>
${komments.length > 0 ? list(platen, post, komments) : null}
${isOpen ? html`<p><a class="write" rel="nofollow" href="${kommentPath(platen, post.blog, post)}">${inEnglish(post.blog, "Write a komment")}</a></p>` : null}
</section>`;
}

function list(platen: Platen, post: Post, komments: PublicKomment[]): Html {
  const page = blogPath(platen, post.blog) + post.slug;
  const written = timeWriter(post.blog);
  const owner = ownerName(platen, post.blog);
  return html`<ol>${komments.map((komment) => item(komment, page, written, owner))}</ol>`;
}

/** @param page the path of the post */
function item(komment: PublicKomment, page: string, written: (at: Date) => Html, owner: string): Html {
  const anchor = `komment-${komment.id}`;
  return html`<li class="komment u-comment h-cite" id="${anchor}">
<p class="meta">${author(komment)} <a class="u-url" href="${page}#${anchor}">${written(komment.createdAt)}</a></p>
<div class="e-content prose" dir="auto">${raw(accessibleContent(komment.html))}</div>
${answerTo(komment, written, owner)}</li>`;
}

function answerTo(
  { answerHtml, answeredAt }: PublicKomment,
  written: (at: Date) => Html,
  owner: string,
): Html | null {
  if (answerHtml === null) return null;
  return html`<div class="answer">
<p class="meta"><strong><bdi>${owner}</bdi></strong> ${answeredAt && written(answeredAt)}</p>
<div class="prose" dir="auto">${raw(accessibleContent(answerHtml))}</div>
</div>
`;
}

/** An e-mail address is never shown. */
function author({ name, address }: PublicKomment): Html {
  const website = websiteIn(address);
  if (!website) return html`<span class="p-author h-card"><bdi>${name}</bdi></span>`;
  return html`<a class="p-author h-card" rel="nofollow ugc" href="${website}"><bdi>${name}</bdi></a>`;
}
