import { MAX_BLOG_TITLE_LENGTH } from "../../../blogs/blogs";
import { homeBlog } from "../../../blogs/permalinks";
import {
  MAX_CSS_LENGTH,
  MAX_DESCRIPTION_LENGTH,
  MAX_HTML_LENGTH,
  MAX_POSTS_PER_PAGE,
} from "../../../blogs/settings-check";
import { inputField, NO_CORRECTIONS, selectField, textField } from "../../../http/forms/form-field";
import { MAX_SUGGESTED_PAGES, suggestedPages } from "../../../posts/reading/navigation-and-home";
import { topicsByName } from "../../../posts/storage/topics";
import { type Html, html } from "../../../text/html";
import { postForm, switchControl } from "../../layout/page-controls";
import { type BlogVisit, blogPath } from "../../layout/visit";
import { languageList } from "../../words/language-names";
import { postName } from "../../words/post-states";
import { hashShownFields, type SettingsField, type ShownSettings, settingsTexts } from "./settings-changes";

export function generalSection(visit: BlogVisit, shown: ShownSettings): Html {
  return html`${settingsForm(
    visit,
    html`<section class="settings">
<h2>Name</h2>
${inputField(shown, "title", "Title", { more: html`required maxlength="${MAX_BLOG_TITLE_LENGTH}"` })}
${textField(shown, "description", "Description", {
  isOptional: true,
  hint: "One or two sentences, shown below the title and in search results.",
  more: html`rows="3" maxlength="${MAX_DESCRIPTION_LENGTH}"`,
})}
</section>
<section class="settings">
<h2>Language and time</h2>
${inputField(shown, "language", "Language", {
  hint: "A language tag like en or pt-BR. Sets date format, hyphenation and text direction.",
  more: html`required list="languages" ${NO_CORRECTIONS}`,
})}
${inputField(shown, "time_zone", "Time zone", {
  hint: "Like Europe/Berlin. Used for dates in the archive and for times you enter.",
  more: html`required list="zones" ${NO_CORRECTIONS}`,
})}
${languageList()}
<datalist id="zones">${zoneOptions()}</datalist>
</section>
<section class="settings">
<h2>Your other profiles</h2>
${textField(shown, "profiles", "Profile URLs, one per line", {
  isOptional: true,
  hint: "Linked with rel=me from the home page, so other services can verify that they are yours.",
  more: html`rows="4" autocapitalize="none" spellcheck="false"`,
})}
</section>`,
  )}
${isRemovable(visit) && html`<p><a href="${blogPath(visit.blog, "/settings/removal")}">Remove this blog…</a></p>`}`;
}

function isRemovable({ platen, blog, account }: BlogVisit): boolean {
  return account.isAdmin && homeBlog(platen)?.id !== blog.id;
}

function zoneOptions(): Html[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")].map(
    (zone) => html`<option value="${zone}">`,
  );
}

export function lookSection(visit: BlogVisit, shown: ShownSettings): Html {
  const code = html`class="code" autocapitalize="none" spellcheck="false"`;
  return settingsForm(
    visit,
    html`<section class="settings">
<h2>Header and footer</h2>
${textField(shown, "header", "Header", {
  sentences: shown.leftOut.header,
  isOptional: true,
  hint: "HTML below the title on every page: text, links, lists and your own pictures (/media/…).",
  more: html`rows="5" maxlength="${MAX_HTML_LENGTH}" ${code}`,
})}
${textField(shown, "footer", "Footer", {
  sentences: shown.leftOut.footer,
  isOptional: true,
  hint: "HTML at the bottom of every page.",
  more: html`rows="5" maxlength="${MAX_HTML_LENGTH}" ${code}`,
})}
</section>
<section class="settings">
<h2>Custom CSS</h2>
${textField(shown, "css", "Your own stylesheet", {
  sentences: shown.leftOut.css,
  isOptional: true,
  hint: "Loaded after the theme's CSS. Rules that load files from other servers are removed.",
  more: html`rows="12" maxlength="${MAX_CSS_LENGTH}" ${code}`,
})}
</section>
${removalControl(shown)}`,
  );
}

function removalControl({ leftOut }: ShownSettings): Html | null {
  if (Object.keys(leftOut).length === 0) return null;
  return html`<div class="switch"><input type="checkbox" id="sure" name="sure" value="yes"><label for="sure">Save without the removed parts</label></div>`;
}

export function readingSection(visit: BlogVisit, shown: ShownSettings): Html {
  /** Has a hidden field, because browsers send nothing for a cleared checkbox. */
  const toggle = (name: SettingsField, label: string, hint?: string) =>
    html`<input type="hidden" name="${name}" value="off">${switchControl(name, label, shown.values[name] === "on", hint)}`;
  return settingsForm(
    visit,
    html`<section class="settings">
<h2>Home page</h2>
${homeChoice(visit, shown)}
${toggle("languageMenu", "Show a language menu", "Appears once there are posts in several languages.")}
${toggle("languageHome", "Start in the reader’s language", LANGUAGE_HOME_HINT)}
</section>
<section class="settings">
<h2>Lists</h2>
${inputField(shown, "posts_a_page", "Posts per page", {
  hint: `1 to ${MAX_POSTS_PER_PAGE}, on the home page and in categories, tags and search results.`,
  more: html`type="number" min="1" max="${MAX_POSTS_PER_PAGE}" required inputmode="numeric"`,
})}
</section>
<section class="settings">
<h2>Posts</h2>
${toggle("readingTime", "Show the reading time")}
${toggle("related", "Show related posts", "Up to three posts that share tags.")}
</section>
<section class="settings">
<h2>Feeds</h2>
${selectField(shown, "feed_content", "Feeds contain", { full: "Full posts", summary: "Summaries with a link" })}
</section>
<section class="settings">
<h2>Komments</h2>
${toggle("komments_open", "Allow komments", "You can turn komments off for individual posts.")}
${toggle("komments_moderated", "Approve komments first", "Readers see a komment only after you approve it.")}
</section>`,
  );
}

const LANGUAGE_HOME_HINT =
  "Visitors from other sites first see posts in their browser’s language, if there are any.";

function homeChoice({ platen, blog }: BlogVisit, { values, errors }: ShownSettings): Html {
  const choice = (value: string, label: string, field: Html | null = null) => html`<div class="choice-row">
<div class="switch"><input type="radio" id="home-${value}" name="home" value="${value}"${values.home === value && html` checked`}><label for="home-${value}">${label}</label></div>
${field}</div>`;
  const wrong = errors.home?.map((error) => `It ${error}.`).join(" ");
  const attributes = html`${wrong && html`aria-invalid="true" aria-describedby="home-fault" `}${NO_CORRECTIONS}`;
  return html`<fieldset class="plain"><legend>Show on the home page</legend>
${choice("posts", "Latest posts")}
${choice("page", "A page", html`<input aria-label="Page" name="home_page" value="${values.home_page}" list="pages" placeholder="/about" ${values.home === "page" && attributes}>`)}
${choice("category", "Posts of a category", html`<input aria-label="Category" name="home_category" value="${values.home_category}" list="categories" ${values.home === "category" && attributes}>`)}
${wrong && html`<p class="wrong" id="home-fault">${wrong}</p>`}
</fieldset>
<datalist id="pages">${suggestedPages(platen, blog).map((page) => html`<option value="/${page.slug}">${postName(page)}</option>`)}</datalist>
<datalist id="categories">${topicsByName(platen, "category", blog.id, MAX_SUGGESTED_PAGES).map(({ name }) => html`<option value="${name}">`)}</datalist>`;
}

/** One form per page: saving one of several forms would lose unsaved text in the others. */
function settingsForm(visit: BlogVisit, sections: Html): Html {
  const { platen, url } = visit.call;
  const shown = hashShownFields(settingsTexts(platen, visit.blog));
  return html`${postForm(visit, "", url.pathname, { shown })}
${sections}
<div class="actions"><button class="primary">Save</button></div>
</form>
`;
}
