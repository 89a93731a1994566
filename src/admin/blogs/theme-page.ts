import { tidyAccent } from "../../blogs/blog-settings";
import type { FieldErrors } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { csrfField } from "../../owner/csrf";
import { publicPosts } from "../../posts/reading/public-posts";
import { type Html, html } from "../../text/html";
import { isThemeName, STANDARD_THEME, THEME_NAMES, themeNamed } from "../../themes/themes";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { settingsTop } from "./settings-frame";

/** A theme and an accent, as the address or the form says them. */
export interface Look {
  theme: string;
  accent: string;
}

const SAYS: Record<(typeof THEME_NAMES)[number], string> = {
  serif: "quiet, a book's letters",
  sans: "plain, dates in a column",
  photo: "pictures first",
};

/** A theme and an accent are chosen, and seen on the blog itself before they are used. */
export async function themeMain(visit: BlogVisit, look: Look, faults: FieldErrors = {}): Promise<Html> {
  const { call, blog, token } = visit;
  const path = call.url.pathname;
  const { posts } = await publicPosts(call.platen, blog, "home", { page: 1, limit: 1 });
  return html`${settingsTop(visit, "/look")}
<section class="settings">
<h2>Theme and colour</h2>
<form method="get" action="${path}" data-follow="tried">
<fieldset class="plain"><legend>Theme</legend>
${THEME_NAMES.map((name) => html`<div class="switch"><input type="radio" id="theme-${name}" name="theme" value="${name}"${name === look.theme && html` checked`}><label for="theme-${name}"><span><strong>${name}</strong>, ${SAYS[name]}${name === blog.theme && " (used now)"}</span></label></div>`)}
</fieldset>
${formField(
  {
    name: "accent",
    label: "Accent",
    isOptional: true,
    faults: faults.accent,
    hint: "The colour of links and buttons, like #1d6b57; empty for the theme's own. It is made darker or lighter until it can be read.",
  },
  (attributes) =>
    html`<div class="beside"><input ${attributes} value="${look.accent}" placeholder="#1d6b57" autocomplete="off" autocapitalize="none" spellcheck="false">
<input type="color" id="accent-picker" value="${colourOf(look)}" aria-label="Pick the accent" data-with-scripts></div>`,
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
<span>${look.theme}${look.accent !== "" && html`, <code>${look.accent}</code>`}. Readers see it when you use it, not before.</span>
</form>
<div class="looks">
${frame(visit, look, "home", "The blog's home page")}
${posts.length > 0 && frame(visit, look, "post", "The newest post")}
</div>
</div>`;
}

/** Where picking another begins. */
function colourOf({ theme, accent }: Look): string {
  return tidyAccent(accent) || themeNamed(isThemeName(theme) ? theme : STANDARD_THEME).accent;
}

/** Shows and does nothing else: no link in it leads anywhere. */
function frame({ blog }: BlogVisit, { theme, accent }: Look, page: "home" | "post", title: string): Html {
  const query = new URLSearchParams({ theme, accent });
  return html`<figure><figcaption>${title}</figcaption>
<iframe sandbox title="${title}, with ${theme}" src="${blogPath(blog, `/look/${page}?${query}`)}"></iframe></figure>`;
}
