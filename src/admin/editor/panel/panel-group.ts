import type { FieldErrors } from "../../../errors";
import { type Html, html } from "../../../text/html";

/** One of the panel's groups. @param title what it is about; also its id, in lower case with "-" */
export function panelGroup(title: string, content: Html): Html {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return html`<section class="panel-group" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}
</section>`;
}

/** The options of a `select`, this one chosen. */
export function chosen(options: [value: string, label: string][], value: string): Html[] {
  return options.map(
    ([one, label]) => html`<option value="${one}"${one === value && html` selected`}>${label}</option>`,
  );
}

/** Of the panel, in their order there: what may be refused. */
export const PANEL_FIELDS = ["publish_at", "slug", "category", "tags", "summary"];
/** The same of the whole page. */
export const POST_FIELDS = ["title", "content", ...PANEL_FIELDS];

export function firstFaulty(faults: FieldErrors): string | undefined {
  return POST_FIELDS.find((name) => faults[name]);
}

/** Where a page comes back with faults, the first field that has one has the focus: the panel is far below the text on a phone. */
export function focusAt(name: string, faults: FieldErrors): Html | false {
  return name === firstFaulty(faults) && html` autofocus`;
}
