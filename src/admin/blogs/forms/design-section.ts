import { MAX_CSS_LENGTH, MAX_HTML_LENGTH } from "../../../blogs/blog-settings";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { settingsForm, settingsPart, textControl } from "./setting-controls";
import type { ShownSettings } from "./settings-fields";

export function lookSection(visit: BlogVisit, shown: ShownSettings): Html {
  const code = html`autocapitalize="none" spellcheck="false"`;
  return settingsForm(
    visit,
    settingsPart(
      "Header and footer",
      textControl(shown, {
        name: "header",
        label: "Header",
        isOptional: true,
        rows: 5,
        hint: "HTML below the title on every page: text, links, lists and your own pictures (/media/…).",
        more: html`maxlength="${MAX_HTML_LENGTH}" class="code" ${code}`,
      }),
      textControl(shown, {
        name: "footer",
        label: "Footer",
        isOptional: true,
        rows: 5,
        hint: "HTML at the bottom of every page.",
        more: html`maxlength="${MAX_HTML_LENGTH}" class="code" ${code}`,
      }),
    ),
    settingsPart(
      "Custom CSS",
      textControl(shown, {
        name: "css",
        label: "Your own stylesheet",
        isOptional: true,
        rows: 12,
        hint: "Loaded after the theme's CSS. It can't load anything from other servers.",
        more: html`maxlength="${MAX_CSS_LENGTH}" class="code" ${code}`,
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
