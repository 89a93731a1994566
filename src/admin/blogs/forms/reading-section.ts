import { MAX_POSTS_PER_PAGE } from "../../../blogs/blog-settings";
import { inputField, NO_CORRECTIONS, selectField } from "../../../http/forms/form-field";
import { MAX_SUGGESTED_PAGES, suggestedPages } from "../../../posts/linked/navigation-and-home";
import { topicsByName } from "../../../posts/topics/topics";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { postName } from "../../words/words";
import { settingsForm, settingsPart, switchControl } from "./setting-controls";
import type { ShownSettings } from "./settings-fields";

export function readingSection(visit: BlogVisit, shown: ShownSettings): Html {
  return html`${settingsForm(
    visit,
    settingsPart(
      "Home page",
      homeChoice(visit, shown),
      switchControl(
        shown,
        "language_menu",
        "Show a language menu",
        "Appears once there are posts in several languages.",
      ),
      switchControl(
        shown,
        "language_home",
        "Start in the reader’s language",
        "Visitors from elsewhere first see the posts in their browser’s language, if there are any.",
      ),
    ),
    settingsPart(
      "Lists",
      inputField(shown, "posts_a_page", "Posts per page", {
        hint: `1 to ${MAX_POSTS_PER_PAGE}, on the home page and in categories, tags and search results.`,
        more: html`type="number" min="1" max="${MAX_POSTS_PER_PAGE}" required inputmode="numeric"`,
      }),
    ),
    settingsPart(
      "Posts",
      switchControl(shown, "reading_time", "Show the reading time"),
      switchControl(shown, "related", "Show related posts", "Up to three posts that share tags."),
    ),
    settingsPart(
      "Feeds",
      selectField(shown, "feed_content", "Feeds contain", {
        full: "Full posts",
        summary: "Summaries with a link",
      }),
    ),
    settingsPart(
      "Komments",
      switchControl(shown, "komments_open", "Allow komments", "You can turn them off for individual posts."),
      switchControl(
        shown,
        "komments_moderated",
        "Approve komments first",
        "Readers see a komment only after you approve it.",
      ),
    ),
  )}`;
}

function homeChoice({ call, blog }: BlogVisit, { values, errors }: ShownSettings): Html {
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
<datalist id="pages">${suggestedPages(call.platen, blog).map((page) => html`<option value="/${page.slug}">${postName(page)}</option>`)}</datalist>
<datalist id="categories">${topicsByName(call.platen, "category", blog.id, MAX_SUGGESTED_PAGES).map(({ name }) => html`<option value="${name}">`)}</datalist>`;
}
