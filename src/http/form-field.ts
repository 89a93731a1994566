import type { FieldErrors } from "../errors";
import { type Html, html } from "../text/html";

interface FormField {
  /** Also the id of the control, so it must be unique on the page. */
  name: string;
  label: string;
  isOptional?: boolean;
  optional?: string;
  hint?: string;
  /** Each error completes a sentence that begins with the label, such as "must not be empty". */
  errors?: string[];
  sentences?: string[];
}

export function formError(sentence: string): Html {
  return html`<p class="wrong" role="alert">${sentence}</p>`;
}

export function formField(field: FormField, control: (attributes: Html) => Html): Html {
  const { name, label, isOptional, optional = "optional", hint, errors = [], sentences = [] } = field;
  const wrong = [...errors.map((error) => `${label} ${error}.`), ...sentences].join("\n");
  const described = [wrong && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(" ");
  const attributes = html`id="${name}" name="${name}"${wrong && html` aria-invalid="true"`}${described && html` aria-describedby="${described}"`}`;
  return html`<div class="field">
<label for="${name}">${label}${isOptional && ` (${optional})`}</label>
${control(attributes)}
${wrong && html`<p class="wrong" id="${name}-fault">${wrong}</p>`}
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;
}

export interface FormState {
  values?: Partial<Record<string, string>>;
  errors?: FieldErrors;
}

interface FieldOptions extends Pick<FormField, "isOptional" | "hint" | "sentences"> {
  more?: Html;
}

export const NO_CORRECTIONS = html`autocomplete="off" autocapitalize="none" spellcheck="false"`;

export function inputField(form: FormState, name: string, label: string, options: FieldOptions = {}): Html {
  const value = form.values?.[name];
  return formField(
    { ...options, name, label, errors: form.errors?.[name] },
    (attributes) =>
      html`<input ${attributes}${value !== undefined && html` value="${value}"`}${options.more && html` ${options.more}`}>`,
  );
}

export function textField(form: FormState, name: string, label: string, options: FieldOptions): Html {
  return formField(
    { ...options, name, label, errors: form.errors?.[name] },
    (attributes) => html`<textarea ${attributes} ${options.more}>\n${form.values?.[name]}</textarea>`,
  );
}

export function selectField(
  form: FormState,
  name: string,
  label: string,
  choices: Record<string, string>,
  options: FieldOptions = {},
): Html {
  return formField(
    { ...options, name, label, errors: form.errors?.[name] },
    (attributes) => html`<select ${attributes}>${selectOptions(choices, form.values?.[name])}</select>`,
  );
}

export function selectOptions(choices: Record<string, string>, selected?: string): Html[] {
  return Object.entries(choices).map(
    ([value, label]) =>
      html`<option value="${value}"${value === selected && html` selected`}>${label}</option>`,
  );
}
