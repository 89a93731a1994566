import { type Html, html } from "../../html";
import type { Category } from "../../posts/post/post";

/**
 * What can be done with all that is ticked; each leads to a page that says what will happen. Seen as soon as something is.
 * @param all "all 1,234 posts that match", where the list has more than the page shows
 */
export function bulkBar(categories: Category[], all: string | null): Html {
  return html`<div class="bulk" role="group" aria-label="What is ticked">
${all && html`<label class="all-listed"><input type="checkbox" name="all" value="yes"> ${all}</label>`}
<button class="quiet" name="do" value="publish">Publish</button>
<button class="quiet" name="do" value="unpublish">Unpublish</button>
<span class="to-category"><label class="spoken" for="to-category">Category for what is ticked</label>
<select id="to-category" name="to">
<option value="none">No category</option>
${categories.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}
</select>
<button class="quiet" name="do" value="category">Move</button></span>
<button class="danger" name="do" value="delete">Delete</button>
</div>`;
}
