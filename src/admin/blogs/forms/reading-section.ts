import { MAX_POSTS_PER_PAGE } from "../../../blogs/blog-settings";
import { MAX_SUGGESTED_PAGES, suggestedPages } from "../../../posts/linked/link-targets";
import { topicsByName } from "../../../posts/topics/topics";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { postName } from "../../words/words";
import { choiceControl, lineControl, settingsForm, settingsPart, switchControl } from "./setting-controls";
import type { ShownSettings } from "./settings-fields";

export function readingSection(visit: BlogVisit, shown: ShownSettings): Html {
  return html`${settingsForm(
    visit,
    settingsPart(
      "Home page",
      homeChoice(visit, shown),
      switchControl(shown, {
        name: "language_menu",
        label: "Show a language menu",
        hint: "Appears once there are posts in several languages.",
      }),
      switchControl(shown, {
        name: "language_home",
        label: "Start in the reader’s language",
        hint: "Visitors from elsewhere first see the posts in their browser’s language, if there are any.",
      }),
    ),
    settingsPart(
      "Lists",
      lineControl(shown, {
        name: "posts_a_page",
        label: "Posts per page",
        hint: `1 to ${MAX_POSTS_PER_PAGE}, on the home page and in categories, tags and search results.`,
        more: html`type="number" min="1" max="${MAX_POSTS_PER_PAGE}" required inputmode="numeric"`,
      }),
    ),
    settingsPart(
      "Posts",
      switchControl(shown, { name: "reading_time", label: "Show the reading time" }),
      switchControl(shown, {
        name: "related",
        label: "Show related posts",
        hint: "Up to three posts that share tags.",
      }),
    ),
    settingsPart(
      "Feeds",
      choiceControl(shown, {
        name: "feed_content",
        label: "Feeds contain",
        choices: { full: "Full posts", summary: "Summaries with a link" },
      }),
    ),
    settingsPart(
      "Komments",
      switchControl(shown, {
        name: "komments_open",
        label: "Allow komments",
        hint: "You can turn them off for individual posts.",
      }),
      switchControl(shown, {
        name: "komments_moderated",
        label: "Approve komments first",
        hint: "Readers see a komment only after you approve it.",
      }),
    ),
  )}`;
}

function homeChoice({ call, blog }: BlogVisit, { texts, errors }: ShownSettings): Html {
  const choice = (value: string, label: string, field: Html | null = null) => html`<div class="choice-row">
<div class="switch"><input type="radio" id="home-${value}" name="home" value="${value}"${texts.home === value && html` checked`}><label for="home-${value}">${label}</label></div>
${field}</div>`;
  const wrong = errors.home?.map((error) => `It ${error}.`).join(" ");
  const attributes = html`${wrong && html`aria-invalid="true" aria-describedby="home-fault" `}autocomplete="off" autocapitalize="none" spellcheck="false"`;
  return html`<fieldset class="plain"><legend>Show on the home page</legend>
${choice("posts", "Latest posts")}
${choice("page", "A page", html`<input aria-label="Page" name="home_page" value="${texts.home_page}" list="pages" placeholder="/about" ${texts.home === "page" && attributes}>`)}
${choice("category", "Posts of a category", html`<input aria-label="Category" name="home_category" value="${texts.home_category}" list="categories" ${texts.home === "category" && attributes}>`)}
${wrong && html`<p class="wrong" id="home-fault">${wrong}</p>`}
</fieldset>
<datalist id="pages">${suggestedPages(call.platen, blog).map((page) => html`<option value="/${page.slug}">${postName(page)}</option>`)}</datalist>
<datalist id="categories">${topicsByName(call.platen, "category", blog.id, MAX_SUGGESTED_PAGES).map(({ name }) => html`<option value="${name}">`)}</datalist>`;
}
