import { MAX_CSS_LENGTH, MAX_HTML_LENGTH } from "../../../blogs/blog-settings";
import { textField } from "../../../http/forms/form-field";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { settingsForm, settingsPart } from "./setting-controls";
import type { ShownSettings } from "./settings-fields";

export function lookSection(visit: BlogVisit, shown: ShownSettings): Html {
  const code = html`class="code" autocapitalize="none" spellcheck="false"`;
  return settingsForm(
    visit,
    settingsPart(
      "Header and footer",
      textField(shown, "header", "Header", {
        sentences: shown.leftOut.header,
        isOptional: true,
        hint: "HTML below the title on every page: text, links, lists and your own pictures (/media/…).",
        more: html`rows="5" maxlength="${MAX_HTML_LENGTH}" ${code}`,
      }),
      textField(shown, "footer", "Footer", {
        sentences: shown.leftOut.footer,
        isOptional: true,
        hint: "HTML at the bottom of every page.",
        more: html`rows="5" maxlength="${MAX_HTML_LENGTH}" ${code}`,
      }),
    ),
    settingsPart(
      "Custom CSS",
      textField(shown, "css", "Your own stylesheet", {
        sentences: shown.leftOut.css,
        isOptional: true,
        hint: "Loaded after the theme's CSS. It can't load anything from other servers.",
        more: html`rows="12" maxlength="${MAX_CSS_LENGTH}" ${code}`,
      }),
    ),
    removalControl(shown),
  );
}

/** A checkbox for saving without the parts that the sanitizer removes. */
function removalControl({ leftOut }: ShownSettings): Html | null {
  if (Object.keys(leftOut).length === 0) return null;
  return html`<div class="switch"><input type="checkbox" id="sure" name="sure" value="yes"><label for="sure">Save without the removed parts</label></div>`;
}
