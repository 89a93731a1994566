import { type Html, html } from "../../html";
import { plainText } from "../../posts/content/plain-text";
import { wordDiff } from "../words/word-diff";
import type { PostFields } from "./post-fields";

/**
 * Somebody else was first: both texts side by side, and nothing of either lost.
 * @param isSaved whether theirs is, or only kept until it is
 */
export function staleNotice(theirs: PostFields, typed: PostFields, isSaved: boolean): Html {
  return html`<section class="stale" aria-labelledby="stale-title">
<h2 id="stale-title">${isSaved ? "Somebody else has saved this meanwhile" : "This was changed in another place meanwhile"}</h2>
<p>Yours is not saved yet. Take over what you want of theirs into the page below, and save: yours then takes its place.</p>
${differenceOf(theirs, typed)}
<div class="texts">
${text("Yours", "yours", typed.title, typed.content)}
${text(isSaved ? "Theirs, saved now" : "Theirs, not saved yet", "theirs", theirs.title, theirs.content)}
</div>
</section>`;
}

/** Word by word, as readers would see it; nothing where that says little. */
function differenceOf(theirs: PostFields, typed: PostFields): Html | null {
  const diff = wordDiff(shown(theirs), shown(typed));
  return (
    diff &&
    html`<p>Struck through is theirs only, underlined yours only.</p>
${diff}`
  );
}

function shown({ title, content, contentType }: PostFields): string {
  return `${title}\n${contentType === "markdown" ? content : plainText(content)}`;
}

function text(whose: string, id: string, title: string, content: string): Html {
  return html`<div>
<h3 id="${id}">${whose}</h3>
<p>${title}</p>
<textarea readonly rows="10" aria-labelledby="${id}">
${content}</textarea>
</div>`;
}
