import type { Blog } from "../../blogs/blogs";
import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { MAX_INPUT_LENGTH, type ReaderInput } from "../../komments/reader-input";
import { type Html, html } from "../../text/html";
import { word } from "../words/words";

export interface Hints {
  address: string;
  text: string;
}

/** Name, address and text, with errors. */
export function readerFields(blog: Blog, hints: Hints, typed: ReaderInput, faults: FieldErrors = {}): Html {
  const field = (
    name: keyof ReaderInput,
    label: string,
    more: { isOptional?: boolean; hint?: string },
    control: (attributes: Html) => Html,
  ) =>
    formField(
      { name, label, ...more, optional: word(blog, "optional"), faults: faults[name] },
      (attributes) => control(html`${attributes} maxlength="${MAX_INPUT_LENGTH[name]}"`),
    );
  return html`${field("name", word(blog, "name"), {}, (attributes) => html`<input ${attributes} required autocomplete="name" value="${typed.name}">`)}
${field("address", word(blog, "websiteOrEmail"), { isOptional: true, hint: hints.address }, (attributes) => html`<input ${attributes} inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false" value="${typed.address}">`)}
${field(
  "text",
  word(blog, "text"),
  { hint: hints.text },
  (attributes) => html`<textarea ${attributes} required rows="8" dir="auto">
${typed.text}</textarea>`,
)}`;
}
