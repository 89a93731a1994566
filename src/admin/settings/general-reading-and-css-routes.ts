import {
  configureBlog,
  cssWarnings,
  MAX_CSS_LENGTH,
  MAX_DESCRIPTION_LENGTH,
  MAX_HTML_LENGTH,
  MAX_POSTS_PER_PAGE,
} from "../../blogs/blog-settings";
import { homeBlog, MAX_BLOG_TITLE_LENGTH } from "../../blogs/blogs";
import { MAX_BYTES } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { type FieldErrors, Refusal } from "../../errors";
import { inputField, NO_CORRECTIONS, selectField, textField } from "../../http/form-field";
import { MAX_SUGGESTED_PAGES, suggestedPages } from "../../posts/reading/navigation-and-home";
import { topicsByName } from "../../posts/storage/categories-and-tags";
import { type Html, html } from "../../text/html";
import { settingsHead } from "../layout/admin-styles";
import { settingsTop } from "../layout/menu-and-shortcuts";
import { postForm, switchControl } from "../layout/page-controls";
import { type AdminPage, blogRoutes, withForm } from "../layout/routing";
import { languageList } from "../layout/times-and-languages";
import { type AdminForm, type BlogVisit, blogPath } from "../layout/visit";
import { postName } from "../posts/post-states-and-rows";
import {
  assertNoConflict,
  changedFields,
  hashShownFields,
  type SettingsField,
  type ShownSettings,
  settingsTexts,
  toBlogChanges,
} from "./settings-changes-and-conflicts";

const SECTIONS = {
  "/settings": generalSection,
  "/settings/look": lookSection,
  "/settings/reading": readingSection,
};
type Section = keyof typeof SECTIONS;

export const settingsRoutes = blogRoutes({
  "GET /settings": sectionPage("/settings"),
  "POST /settings": withForm(saveSettings, sectionPage("/settings"), MAX_BYTES.settingsForm),
  "GET /settings/look": sectionPage("/settings/look"),
  "POST /settings/look": withForm(saveSettings, sectionPage("/settings/look"), MAX_BYTES.settingsForm),
  "GET /settings/reading": sectionPage("/settings/reading"),
  "POST /settings/reading": withForm(saveSettings, sectionPage("/settings/reading"), MAX_BYTES.settingsForm),
});

function sectionPage(section: Section) {
  return (visit: BlogVisit): AdminPage => {
    const { platen, blog, rejected } = visit;
    const stored = settingsTexts(platen, blog);
    const values = rejected ? { ...stored, ...changedFields(rejected.sent, stored) } : stored;
    const css = cssWarnings(blog);
    const shown: ShownSettings =
      rejected?.error instanceof PartsRemoved
        ? { values, errors: {}, leftOut: rejected.errors }
        : { values, errors: rejected?.errors ?? {}, leftOut: css.length > 0 ? { css } : {} };
    const main = html`${settingsTop(visit, section)}
${SECTIONS[section](visit, shown)}`;
    return { title: "Settings", place: "settings", head: settingsHead, main };
  };
}

function saveSettings({ platen, blog }: BlogVisit, form: AdminForm) {
  const stored = settingsTexts(platen, blog);
  const sent = changedFields(form, stored);
  assertNoConflict(form, stored, sent);
  const isAnyRemoved = inTransaction(platen, () => {
    const { leftOut } = configureBlog(platen, blog, toBlogChanges(platen, blog, sent));
    if (Object.keys(leftOut).length === 0) return false;
    if (form.get("sure") !== "yes") throw new PartsRemoved(leftOut);
    return true;
  });
  return isAnyRemoved ? "Saved without the removed parts." : "Saved.";
}

/** The form is shown again, so that the owner can confirm the removal. */
class PartsRemoved extends Refusal {
  constructor(leftOut: FieldErrors) {
    super("invalid", "Some parts would be removed.", leftOut);
  }
}

function generalSection(visit: BlogVisit, shown: ShownSettings): Html {
  const { platen, blog, account } = visit;
  const zones = new Set(["UTC", ...Intl.supportedValuesOf("timeZone")]);
  const isRemovable = account.isAdmin && homeBlog(platen)?.id !== blog.id;
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
<datalist id="zones">${[...zones].map((zone) => html`<option value="${zone}">`)}</datalist>
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
${isRemovable && html`<p><a href="${blogPath(blog, "/settings/removal")}">Remove this blog…</a></p>`}`;
}

function lookSection(visit: BlogVisit, shown: ShownSettings): Html {
  const { leftOut } = shown;
  const code = html`class="code" autocapitalize="none" spellcheck="false"`;
  return settingsForm(
    visit,
    html`<section class="settings">
<h2>Header and footer</h2>
${textField(shown, "header", "Header", {
  sentences: leftOut.header,
  isOptional: true,
  hint: "HTML below the title on every page: text, links, lists and your own pictures (/media/…).",
  more: html`rows="5" maxlength="${MAX_HTML_LENGTH}" ${code}`,
})}
${textField(shown, "footer", "Footer", {
  sentences: leftOut.footer,
  isOptional: true,
  hint: "HTML at the bottom of every page.",
  more: html`rows="5" maxlength="${MAX_HTML_LENGTH}" ${code}`,
})}
</section>
<section class="settings">
<h2>Custom CSS</h2>
${textField(shown, "css", "Your own stylesheet", {
  sentences: leftOut.css,
  isOptional: true,
  hint: "Loaded after the theme's CSS. Rules that load files from other servers are removed.",
  more: html`rows="12" maxlength="${MAX_CSS_LENGTH}" ${code}`,
})}
</section>
${Object.keys(leftOut).length > 0 && html`<div class="switch"><input type="checkbox" id="sure" name="sure" value="yes"><label for="sure">Save without the removed parts</label></div>`}`,
  );
}

function readingSection(visit: BlogVisit, shown: ShownSettings): Html {
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
  const { call, platen, blog } = visit;
  const shown = hashShownFields(settingsTexts(platen, blog));
  return html`${postForm(visit, "", call.url.pathname, { shown })}
${sections}
<div class="actions"><button class="primary">Save</button></div>
</form>
`;
}
