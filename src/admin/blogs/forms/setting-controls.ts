import { formField } from "../../../http/forms/form-field";
import { csrfField } from "../../../owner/csrf";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { hashShownFields, type SettingsField, type ShownSettings, settingsTexts } from "./settings-fields";

interface Control {
  name: SettingsField;
  label: string;
  isOptional?: boolean;
  hint?: string;
  /** Extra attributes, such as `maxlength` or `list`. */
  more?: Html;
}

/** A single form for the page, because saving one of several forms would lose unsaved text in the others. */
export function settingsForm({ call, blog, token }: BlogVisit, ...parts: (Html | null)[]): Html {
  return html`<form method="post" action="${call.url.pathname}">
${csrfField(token)}
<input type="hidden" name="shown" value="${hashShownFields(settingsTexts(call.platen, blog))}">
${parts}
<div class="actions"><button class="primary">Save</button></div>
</form>
`;
}

export function settingsPart(heading: string, ...fields: (Html | null | false)[]): Html {
  return html`<section class="settings">
<h2>${heading}</h2>
${fields}
</section>
`;
}

export function lineControl({ texts, errors }: ShownSettings, control: Control): Html {
  const { name, more } = control;
  return formField(
    { ...control, errors: errors[name] },
    (attributes) => html`<input ${attributes} value="${texts[name]}"${more && html` ${more}`}>`,
  );
}

export function textControl(
  { texts, errors, leftOut }: ShownSettings,
  control: Control & { rows: number },
): Html {
  const { name, rows, more } = control;
  return formField(
    { ...control, errors: errors[name], sentences: leftOut[name] },
    (attributes) => html`<textarea ${attributes} rows="${rows}"${more && html` ${more}`}>
${texts[name]}</textarea>`,
  );
}

/** @param control.choices value → label */
export function choiceControl(
  { texts, errors }: ShownSettings,
  { choices, ...control }: Control & { choices: Record<string, string> },
): Html {
  const { name } = control;
  const options = Object.entries(choices).map(
    ([value, label]) =>
      html`<option value="${value}"${texts[name] === value && html` selected`}>${label}</option>`,
  );
  return formField(
    { ...control, errors: errors[name] },
    (attributes) => html`<select ${attributes}>${options}</select>`,
  );
}

/** Has a hidden field, because browsers send nothing for a cleared checkbox. */
export function switchControl(
  { texts }: ShownSettings,
  { name, label, hint }: Pick<Control, "name" | "label" | "hint">,
): Html {
  return html`<div class="switch">
<input type="hidden" name="${name}" value="off">
<input type="checkbox" id="${name}" name="${name}" value="on"${texts[name] === "on" && html` checked`}${hint && html` aria-describedby="${name}-hint"`}>
<label for="${name}">${label}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;
}
