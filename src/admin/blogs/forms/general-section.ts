import { MAX_DESCRIPTION_LENGTH } from "../../../blogs/blog-settings";
import { MAX_BLOG_TITLE_LENGTH } from "../../../blogs/blogs";
import { homeBlog } from "../../../blogs/permalinks";
import { type Html, html } from "../../../text/html";
import { blogPath } from "../../layout/menu-places";
import type { BlogVisit } from "../../layout/visit";
import { languageList } from "../../words/words";
import { lineControl, settingsForm, settingsPart, textControl } from "./setting-controls";
import type { ShownSettings } from "./settings-fields";

export function generalSection(visit: BlogVisit, shown: ShownSettings): Html {
  return html`${settingsForm(
    visit,
    settingsPart(
      "Name",
      lineControl(shown, {
        name: "title",
        label: "Title",
        more: html`required maxlength="${MAX_BLOG_TITLE_LENGTH}"`,
      }),
      textControl(shown, {
        name: "description",
        label: "Description",
        isOptional: true,
        rows: 3,
        hint: "One or two sentences, shown below the title and in search results.",
        more: html`maxlength="${MAX_DESCRIPTION_LENGTH}"`,
      }),
    ),
    settingsPart(
      "Language and time",
      lineControl(shown, {
        name: "language",
        label: "Language",
        hint: "A language tag like en or pt-BR. Sets date format, hyphenation and text direction.",
        more: html`required list="languages" autocomplete="off" autocapitalize="none" spellcheck="false"`,
      }),
      lineControl(shown, {
        name: "time_zone",
        label: "Time zone",
        hint: "Like Europe/Berlin. Used for dates in the archive and for times you type.",
        more: html`required list="zones" autocomplete="off" autocapitalize="none" spellcheck="false"`,
      }),
      html`${languageList()}
<datalist id="zones">${zoneOptions()}</datalist>`,
    ),
    settingsPart(
      "Your other profiles",
      textControl(shown, {
        name: "profiles",
        label: "Profile URLs, one per line",
        isOptional: true,
        rows: 4,
        hint: "Linked with rel=me from the home page, so other services can verify that they are yours.",
        more: html`autocapitalize="none" spellcheck="false"`,
      }),
    ),
  )}
${isRemovable(visit) && html`<p><a href="${blogPath(visit.blog, "/settings/removal")}">Remove this blog…</a></p>`}`;
}

function isRemovable({ call, blog, account }: BlogVisit): boolean {
  return account.isAdmin && homeBlog(call.platen)?.id !== blog.id;
}

function zoneOptions(): Html[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")].map(
    (zone) => html`<option value="${zone}">`,
  );
}
