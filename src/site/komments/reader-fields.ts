import type { FieldFaults } from "../../errors";
import { type Html, html } from "../../html";
import { LONGEST_WORDS, type ReaderWords } from "../../reader-input";

const OPTIONAL = " (optional)";

/** What the address is for, and what the text may hold. */
export interface Hints {
  address: string;
  text: string;
}

/** The three fields, with what is wrong beside each. */
export function readerFields(hints: Hints, typed: ReaderWords, faults: FieldFaults = {}): Html {
  const field = (
    name: keyof ReaderWords,
    label: string,
    control: (attributes: Html) => Html,
    hint?: string,
  ) => {
    const says = faults[name]?.map((fault) => `${label.replace(OPTIONAL, "")} ${fault}.`).join(" ");
    const notes = [says && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(" ");
    const attributes = html`id="${name}" name="${name}" maxlength="${LONGEST_WORDS[name]}"${says && html` aria-invalid="true"`}${notes && html` aria-describedby="${notes}"`}`;
    return html`<div class="field">
<label for="${name}">${label}</label>
${control(attributes)}
${says && html`<p class="wrong" id="${name}-fault">${says}</p>`}
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;
  };
  return html`${field("name", "Name", (attributes) => html`<input ${attributes} required autocomplete="name" value="${typed.name}">`)}
${field("address", `Website or e-mail${OPTIONAL}`, (attributes) => html`<input ${attributes} inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false" value="${typed.address}">`, hints.address)}
${field(
  "text",
  "Text",
  (attributes) => html`<textarea ${attributes} required rows="8" dir="auto">
${typed.text}</textarea>`,
  hints.text,
)}`;
}
