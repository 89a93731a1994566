import { type Html, html } from "../../text/html";

interface FormField {
  /** Also the control's id: no two of a name on one page. */
  name: string;
  label: string;
  isOptional?: boolean;
  hint?: string;
  /** What is wrong with what was typed: each goes on where the label ends ("must not be empty"). */
  faults?: string[];
  /** More that is wrong with it, in whole sentences: each has a line. */
  sentences?: string[];
}

/** What is wrong with a form as a whole; stands above its fields, and screen readers read it out at once. */
export function formError(sentence: string): Html {
  return html`<p class="wrong" role="alert">${sentence}</p>`;
}

/**
 * A label, its control, and what is wrong or good to know, which screen readers read out with it.
 * @param control writes the input, select or textarea with the attributes that tie it to all that
 */
export function formField(field: FormField, control: (attributes: Html) => Html): Html {
  const { name, label, isOptional, hint, faults = [], sentences = [] } = field;
  const wrong = [...faults.map((fault) => `${label} ${fault}.`), ...sentences].join("\n");
  const described = [wrong && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(" ");
  const attributes = html`id="${name}" name="${name}"${wrong && html` aria-invalid="true"`}${described && html` aria-describedby="${described}"`}`;
  return html`<div class="field">
<label for="${name}">${label}${isOptional && " (optional)"}</label>
${control(attributes)}
${wrong && html`<p class="wrong" id="${name}-fault">${wrong}</p>`}
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;
}
