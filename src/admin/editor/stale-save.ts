import { type Html, html } from "../../html";
import type { WholePost } from "../../posts/post/post";
import type { PostFields } from "./post-fields";

/** Somebody else saved first: both texts side by side, and nothing of either lost. */
export function staleNotice(post: WholePost, typed: PostFields): Html {
  return html`<section class="stale" aria-labelledby="stale-title">
<h2 id="stale-title">Somebody else has saved this meanwhile</h2>
<p>Yours is not saved yet. Take over what you want of theirs into the page below, and save: yours then takes its place.</p>
<div class="texts">
${text("Yours", "yours", typed.title, typed.content)}
${text("Theirs, saved now", "theirs", post.title, post.source)}
</div>
</section>`;
}

function text(whose: string, id: string, title: string, content: string): Html {
  return html`<div>
<h3 id="${id}">${whose}</h3>
<p>${title}</p>
<textarea readonly rows="10" aria-labelledby="${id}">
${content}</textarea>
</div>`;
}
