import { LONGEST_DESCRIPTION } from "../../../blogs/blog-settings";
import { LONGEST_TITLE } from "../../../blogs/blogs";
import { homeBlog } from "../../../blogs/permalinks";
import { type Html, html } from "../../../text/html";
import { blogPath } from "../../layout/menu-places";
import type { BlogVisit } from "../../layout/visit";
import { lineControl, settingsForm, settingsPart, textControl } from "./setting-controls";
import type { ShownSettings } from "./settings-fields";

/** Offered; any other can be typed. */
const LANGUAGES =
  "ar bg bn ca cs da de el en en-GB en-US es et fa fi fr ga he hi hr hu id it ja ko lt lv nb nl nn pl pt pt-BR ro ru sk sl sr sv th tr uk ur vi zh-Hans zh-Hant".split(
    " ",
  );

/** What a blog is called, what it is written in, and where else its owner is. */
export function generalSection(visit: BlogVisit, shown: ShownSettings): Html {
  return html`${settingsForm(
    visit,
    settingsPart(
      "Name",
      lineControl(shown, {
        name: "title",
        label: "Title",
        more: html`required maxlength="${LONGEST_TITLE}"`,
      }),
      textControl(shown, {
        name: "description",
        label: "Description",
        isOptional: true,
        rows: 3,
        hint: "A sentence or two: below the title on the home page, and where search engines and apps show the blog.",
        more: html`maxlength="${LONGEST_DESCRIPTION}"`,
      }),
    ),
    settingsPart(
      "Language and time",
      lineControl(shown, {
        name: "language",
        label: "Language",
        hint: "What the blog is written in, as a tag like en or pt-BR: dates, hyphens and the direction of lines go by it.",
        more: html`required list="languages" autocomplete="off" autocapitalize="none" spellcheck="false"`,
      }),
      lineControl(shown, {
        name: "time_zone",
        label: "Time zone",
        hint: "Like Europe/Berlin: whose days the archive counts, and what times you type mean.",
        more: html`required list="zones" autocomplete="off" autocapitalize="none" spellcheck="false"`,
      }),
      html`<datalist id="languages">${languageOptions()}</datalist>
<datalist id="zones">${zoneOptions()}</datalist>`,
    ),
    settingsPart(
      "Where else you are",
      textControl(shown, {
        name: "profiles",
        label: "Addresses, one a line",
        isOptional: true,
        rows: 4,
        hint: "Your profiles elsewhere, linked with rel=me from the home page's head, by which other services verify that they are yours.",
        more: html`autocapitalize="none" spellcheck="false"`,
      }),
    ),
  )}
${isRemovable(visit) && html`<p><a href="${blogPath(visit.blog, "/settings/removal")}">Remove the blog…</a></p>`}`;
}

function isRemovable({ call, blog, account }: BlogVisit): boolean {
  return account.isAdmin && homeBlog(call.platen)?.id !== blog.id;
}

function languageOptions(): Html[] {
  const names = new Intl.DisplayNames("en", { type: "language" });
  return LANGUAGES.map((tag) => html`<option value="${tag}">${names.of(tag)}</option>`);
}

function zoneOptions(): Html[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")].map(
    (zone) => html`<option value="${zone}">`,
  );
}
