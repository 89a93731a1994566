import type { Category } from "../../posts/post/post";
import { MAX_TOPIC_NAME_LENGTH } from "../../posts/post/post-limits";
import { type Html, html } from "../../text/html";
import { selectionCount } from "../layout/selection-count";

/** Actions on the selected posts; each leads to a page that asks for confirmation. @param categories null if there are too many to list @param all label of the box that selects the whole list */
export function bulkBar(categories: Category[] | null, all: string | null): Html {
  return html`<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
${!categories && toCategory(NAMED)}
${all && html`<label class="all-listed"><input type="checkbox" name="all" value="yes"> ${all}</label>`}
<button class="quiet" name="do" value="publish">Publish</button>
<button class="quiet" name="do" value="unpublish">Unpublish</button>
${categories && toCategory(chosen(categories))}
<button class="danger" name="do" value="delete">Delete</button>
</div>`;
}

function toCategory(control: Html): Html {
  return html`<span class="to-category"><label class="spoken" for="to-category">Category for the selected posts</label>
${control}
<button class="quiet" name="do" value="category">Move</button></span>`;
}

function chosen(categories: Category[]): Html {
  return html`<select id="to-category" name="to">
<option value="none">No category</option>
${categories.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}
</select>`;
}

/** Before all buttons, because Enter presses the first one. */
const NAMED = html`<input type="text" id="to-category" name="named" placeholder="No category" list="category-names" maxlength="${MAX_TOPIC_NAME_LENGTH}" autocomplete="off">`;
