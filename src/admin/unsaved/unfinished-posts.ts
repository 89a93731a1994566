import { excerpt } from "../../posts/content/plain-text";
import { unfinishedPosts } from "../../posts/unsaved/unsaved-posts";
import { type Html, html } from "../../text/html";
import { fieldsKept, type PostFields } from "../editor/form/post-fields";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { timesFor } from "../words/words";

const MAX_EXAMINED = 500;
const MAX_NAME_LENGTH = 70;

/** Lists autosaved new posts, newest first; null if there are none. */
export function unfinishedList({ call, account, blog }: BlogVisit, most: number): Html | null {
  const { platen } = call;
  const begun = unfinishedPosts(platen, account.id, blog.id, most);
  if (begun.length === 0) return null;
  const times = timesFor(blog, platen.now());
  return html`<ul class="rows">
${begun.map(
  ({ newPost, fields, keptAt }) => html`<li><div class="what">
<a class="name" href="${blogPath(blog, `/posts/new?unsaved=${newPost}`)}">${nameOf(fieldsKept(fields))}</a>
<p class="about"><span class="state draft">Unsaved draft</span><span>${times.near(keptAt)}</span></p>
</div></li>
`,
)}</ul>`;
}

function nameOf({ title, content }: PostFields): string {
  const text = content.slice(0, MAX_EXAMINED).replace(/<[^>]*>?/g, " ");
  return title.trim() || excerpt(text, MAX_NAME_LENGTH) || "Untitled";
}
