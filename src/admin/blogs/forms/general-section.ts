import { MAX_DESCRIPTION_LENGTH } from "../../../blogs/blog-settings";
import { MAX_BLOG_TITLE_LENGTH } from "../../../blogs/blogs";
import { homeBlog } from "../../../blogs/permalinks";
import { inputField, NO_CORRECTIONS, textField } from "../../../http/forms/form-field";
import { type Html, html } from "../../../text/html";
import { blogPath } from "../../layout/menu-places";
import type { BlogVisit } from "../../layout/visit";
import { languageList } from "../../words/words";
import { settingsForm, settingsPart } from "./setting-controls";
import type { ShownSettings } from "./settings-fields";

export function generalSection(visit: BlogVisit, shown: ShownSettings): Html {
  return html`${settingsForm(
    visit,
    settingsPart(
      "Name",
      inputField(shown, "title", "Title", {
        more: html`required maxlength="${MAX_BLOG_TITLE_LENGTH}"`,
      }),
      textField(shown, "description", "Description", {
        isOptional: true,
        hint: "One or two sentences, shown below the title and in search results.",
        more: html`rows="3" maxlength="${MAX_DESCRIPTION_LENGTH}"`,
      }),
    ),
    settingsPart(
      "Language and time",
      inputField(shown, "language", "Language", {
        hint: "A language tag like en or pt-BR. Sets date format, hyphenation and text direction.",
        more: html`required list="languages" ${NO_CORRECTIONS}`,
      }),
      inputField(shown, "time_zone", "Time zone", {
        hint: "Like Europe/Berlin. Used for dates in the archive and for times you type.",
        more: html`required list="zones" ${NO_CORRECTIONS}`,
      }),
      html`${languageList()}
<datalist id="zones">${zoneOptions()}</datalist>`,
    ),
    settingsPart(
      "Your other profiles",
      textField(shown, "profiles", "Profile URLs, one per line", {
        isOptional: true,
        hint: "Linked with rel=me from the home page, so other services can verify that they are yours.",
        more: html`rows="4" autocapitalize="none" spellcheck="false"`,
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
