import type { FieldErrors } from "../../../errors";
import { type Html, type HtmlValue, html } from "../../../text/html";

export function panelGroup(title: string, content: HtmlValue): Html {
  const id = title.toLowerCase().replaceAll(" ", "-");
  return html`<section class="panel-group" aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}
</section>`;
}

/** In page order, so that `firstFieldWithError` finds the topmost field. */
export const PANEL_FIELDS = [
  "publish_at",
  "slug",
  "category",
  "tags",
  "series",
  "summary",
  "language",
  "translation_of",
];
export const POST_FIELDS = ["title", "content", ...PANEL_FIELDS];

export function firstFieldWithError(errors: FieldErrors): string | undefined {
  return POST_FIELDS.find((name) => errors[name]);
}

/** Focuses the first field with an error, because on phones the panel is far below. */
export function focusAt(name: string, errors: FieldErrors): Html | false {
  return name === firstFieldWithError(errors) && html` autofocus`;
}
