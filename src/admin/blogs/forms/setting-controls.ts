import { csrfField } from "../../../owner/csrf";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { hashShownFields, type SettingsField, type ShownSettings, settingsTexts } from "./settings-fields";

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

/** Has a hidden field, because browsers send nothing for a cleared checkbox. */
export function switchControl(
  { values }: ShownSettings,
  name: SettingsField,
  label: string,
  hint?: string,
): Html {
  return html`<div class="switch">
<input type="hidden" name="${name}" value="off">
<input type="checkbox" id="${name}" name="${name}" value="on"${values[name] === "on" && html` checked`}${hint && html` aria-describedby="${name}-hint"`}>
<label for="${name}">${label}</label>
${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;
}
