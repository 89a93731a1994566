import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import type { Visit } from "./visit";

interface Deletion {
  /** "Delete 3 komments" */
  words: string;
  hint: string;
  rows: { id: number; name: string; text: string }[];
  /** Where the form is sent. */
  action: string;
  /** The list to return to. */
  next: string;
}

/** Asks for confirmation and lists what will be deleted. */
export function deletionMain({ token }: Visit, { words, hint, rows, action, next }: Deletion): Html {
  return html`<h1>${words}?</h1>
<p class="lead">${hint}</p>
<ul class="outcomes">
${rows.map(({ name, text }) => html`<li><strong><bdi>${name}</bdi></strong><span>${text.slice(0, 200)}</span></li>`)}
</ul>
<form class="actions" method="post" action="${action}">
${csrfField(token)}
<input type="hidden" name="do" value="delete">
<input type="hidden" name="sure" value="yes">
<input type="hidden" name="next" value="${next}">
${rows.map(({ id }) => html`<input type="hidden" name="id" value="${id}">`)}
<button class="danger">${words}</button>
<a class="button quiet" href="${next}">Back</a>
</form>`;
}
