import { MOST_POSTS_A_PAGE } from "../../../blogs/blog-settings";
import { MAX_SUGGESTED_PAGES, suggestedPages } from "../../../posts/linked/link-targets";
import { topicsByName } from "../../../posts/topics/topics";
import { type Html, html } from "../../../text/html";
import type { BlogVisit } from "../../layout/visit";
import { postName } from "../../words/post-name";
import { lineControl, settingsForm, settingsPart, switchControl } from "./setting-controls";
import type { ShownSettings } from "./settings-fields";

/** What readers find at the blog's address, how long its lists are, and whether they can write. */
export function readingSection(visit: BlogVisit, shown: ShownSettings): Html {
  return html`${settingsForm(
    visit,
    settingsPart("Home page", homeChoice(visit, shown)),
    settingsPart(
      "Lists",
      lineControl(shown, {
        name: "posts_a_page",
        label: "Posts a page",
        hint: `From 1 to ${MOST_POSTS_A_PAGE}: on the home page, in categories and tags, and in what was searched for.`,
        more: html`type="number" min="1" max="${MOST_POSTS_A_PAGE}" required inputmode="numeric"`,
      }),
    ),
    settingsPart(
      "Komments",
      switchControl(shown, {
        name: "komments_open",
        label: "Readers may write komments",
        hint: "A post can have them switched off by its own settings.",
      }),
      switchControl(shown, {
        name: "komments_moderated",
        label: "Komments wait for you",
        hint: "Nobody sees them before you have approved them.",
      }),
    ),
  )}`;
}

function homeChoice({ call, blog }: BlogVisit, { texts, faults }: ShownSettings): Html {
  const choice = (value: string, label: string, field: Html | null = null) => html`<div class="choice-row">
<div class="switch"><input type="radio" id="home-${value}" name="home" value="${value}"${texts.home === value && html` checked`}><label for="home-${value}">${label}</label></div>
${field}</div>`;
  const wrong = faults.home?.map((fault) => `It ${fault}.`).join(" ");
  const attributes = html`${wrong && html`aria-invalid="true" aria-describedby="home-fault" `}autocomplete="off" autocapitalize="none" spellcheck="false"`;
  return html`<fieldset class="plain"><legend>What is at the blog's address</legend>
${choice("posts", "The newest posts")}
${choice("page", "A page", html`<input aria-label="Which page" name="home_page" value="${texts.home_page}" list="pages" placeholder="/about" ${texts.home === "page" && attributes}>`)}
${choice("category", "The posts of a category", html`<input aria-label="Which category" name="home_category" value="${texts.home_category}" list="categories" ${texts.home === "category" && attributes}>`)}
${wrong && html`<p class="wrong" id="home-fault">${wrong}</p>`}
</fieldset>
<datalist id="pages">${suggestedPages(call.platen, blog).map((page) => html`<option value="/${page.slug}">${postName(page)}</option>`)}</datalist>
<datalist id="categories">${topicsByName(call.platen, "category", blog.id, MAX_SUGGESTED_PAGES).map(({ name }) => html`<option value="${name}">`)}</datalist>`;
}
