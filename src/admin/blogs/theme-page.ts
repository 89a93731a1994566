import { normalizeAccent } from "../../blogs/blog-settings";
import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { publicPosts } from "../../posts/reading/public-posts";
import { type Html, html } from "../../text/html";
import { isThemeName, STANDARD_THEME, THEME_NAMES, themeNamed } from "../../themes/themes";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { settingsTop } from "./settings-tabs";

export interface Look {
  theme: string;
  accent: string;
}

const THEME_DESCRIPTIONS: Record<(typeof THEME_NAMES)[number], string> = {
  serif: "calm, set like a book",
  sans: "plain, dates in a column",
  photo: "pictures first",
};

export async function themeMain(visit: BlogVisit, look: Look, faults: FieldErrors = {}): Promise<Html> {
  const { call, blog, token } = visit;
  const path = call.url.pathname;
  const { posts } = await publicPosts(call.platen, blog, "home", { page: 1, limit: 1 });
  return html`${settingsTop(visit, "/look")}
<section class="settings">
<h2>Theme and colour</h2>
<form method="get" action="${path}" data-follow="tried">
<fieldset class="plain"><legend>Theme</legend>
${THEME_NAMES.map((name) => html`<div class="switch"><input type="radio" id="theme-${name}" name="theme" value="${name}"${name === look.theme && html` checked`}><label for="theme-${name}"><span><strong>${name}</strong>, ${THEME_DESCRIPTIONS[name]}${name === blog.theme && " (current)"}</span></label></div>`)}
</fieldset>
${formField(
  {
    name: "accent",
    label: "Accent",
    isOptional: true,
    faults: faults.accent,
    hint: "Colour of links and buttons, like #1d6b57. Leave empty for the theme's own. Adjusted if it is hard to read.",
  },
  (attributes) =>
    html`<div class="beside"><input ${attributes} value="${look.accent}" placeholder="#1d6b57" autocomplete="off" autocapitalize="none" spellcheck="false">
<input type="color" id="accent-picker" value="${pickerColour(look)}" aria-label="Pick the accent colour" data-with-scripts></div>`,
)}
<div class="actions"><button class="quiet">Preview</button></div>
</form>
</section>
<div id="tried">
<form class="actions" method="post" action="${path}">
${csrfField(token)}
<input type="hidden" name="theme" value="${look.theme}">
<input type="hidden" name="accent" value="${look.accent}">
<button class="primary">Use this theme</button>
<span>${look.theme}${look.accent !== "" && html`, <code>${look.accent}</code>`}. Readers see it only after you choose “Use this theme”.</span>
</form>
<div class="looks">
${previewFrame(visit, look, "home", "Home page")}
${posts.length > 0 && previewFrame(visit, look, "post", "Latest post")}
</div>
</div>`;
}

function pickerColour({ theme, accent }: Look): string {
  return normalizeAccent(accent) || themeNamed(isThemeName(theme) ? theme : STANDARD_THEME).accent;
}

/** The sandbox lets no link in it lead anywhere. */
function previewFrame(
  { blog }: BlogVisit,
  { theme, accent }: Look,
  page: "home" | "post",
  title: string,
): Html {
  const query = new URLSearchParams({ theme, accent });
  return html`<figure><figcaption>${title}</figcaption>
<iframe sandbox title="${title}, with ${theme}" src="${blogPath(blog, `/look/${page}?${query}`)}"></iframe></figure>`;
}
