import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import type { Visit } from "./visit";

interface Deletion {
  /** Text of the heading and button, such as "Delete 3 komments". */
  words: string;
  hint: string;
  rows: { id: number; name: string; text: string }[];
  /** The form's target path. */
  action: string;
  /** Path of the list to return to. */
  next: string;
}

/** Renders a confirmation page that lists the items to delete. */
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
