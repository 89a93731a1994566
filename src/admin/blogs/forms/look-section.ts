import { LONGEST_CSS, LONGEST_HTML } from "../../../blogs/blog-settings";
import { type Html, html } from "../../../text/html";
import { blogPath } from "../../layout/menu-places";
import type { BlogVisit } from "../../layout/visit";
import { settingsForm, settingsPart, textControl } from "./setting-controls";
import type { ShownSettings } from "./settings-fields";

/** How a blog looks: theme and colour, and its owner's own touches. */
export function lookSection(visit: BlogVisit, shown: ShownSettings): Html {
  const code = html`autocapitalize="none" spellcheck="false"`;
  return html`${themeNow(visit)}
${settingsForm(
  visit,
  settingsPart(
    "Header and footer",
    textControl(shown, {
      name: "header",
      label: "Header",
      isOptional: true,
      rows: 5,
      hint: "HTML below the title of every page: words, links, lists, pictures of your own (/media/…).",
      more: html`maxlength="${LONGEST_HTML}" class="code" ${code}`,
    }),
    textControl(shown, {
      name: "footer",
      label: "Footer",
      isOptional: true,
      rows: 5,
      hint: "The same at the end of every page.",
      more: html`maxlength="${LONGEST_HTML}" class="code" ${code}`,
    }),
  ),
  settingsPart(
    "Custom CSS",
    textControl(shown, {
      name: "css",
      label: "Your own stylesheet",
      isOptional: true,
      rows: 12,
      hint: "Comes after the theme's. It may ask no other server for anything.",
      more: html`maxlength="${LONGEST_CSS}" class="code" ${code}`,
    }),
  ),
  withoutControl(shown),
)}`;
}

function themeNow({ blog }: BlogVisit): Html {
  const { theme, accent } = blog;
  return html`<section class="settings">
<h2>Theme</h2>
<p>${theme}${accent && html`, with the accent <code>${accent}</code>`}</p>
<div class="actions"><a class="button" href="${blogPath(blog, "/settings/theme")}">Choose theme and colour</a></div>
</section>
`;
}

/** Where something would be left out, nothing was saved yet. */
function withoutControl({ leftOut }: ShownSettings): Html | null {
  if (Object.keys(leftOut).length === 0) return null;
  return html`<div class="switch"><input type="checkbox" id="sure" name="sure" value="yes"><label for="sure">Save without what is left out</label></div>`;
}
