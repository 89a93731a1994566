import { configureBlog, normalizeAccent } from "../../blogs/blog-settings";
import { MAX_LENGTHS } from "../../config/request-limits";
import { type FieldErrors, Refusal } from "../../errors";
import { formField } from "../../http/forms/form-field";
import { ERROR_STATUS } from "../../http/responses/error-responses";
import type { HttpResponse } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import { publicPosts } from "../../posts/reading/public-posts";
import { type Html, html } from "../../text/html";
import { isThemeName, STANDARD_THEME, THEME_NAMES, themeNamed } from "../../themes/themes";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter, onBlog } from "../layout/admin-router";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm } from "../layout/visit";
import { settingsHead } from "./settings-styles";
import { settingsTop } from "./settings-tabs";

const FORM = { theme: MAX_LENGTHS.typedLine, accent: MAX_LENGTHS.typedLine };

export const themeRoutes = (platen: Platen) =>
  adminRouter(platen, "theme")
    .get(
      "/admin/blogs/:slug/settings/theme",
      onBlog((visit) => themeAnswer(visit, lookInQuery(visit))),
    )
    .post("/admin/blogs/:slug/settings/theme", onBlog(saveTheme), { parse: "none" });

/** The theme settings in the query, or the current settings if there are none. */
function lookInQuery({ call, blog }: BlogVisit): Look {
  const { searchParams } = call.url;
  const asked = searchParams.get("theme") ?? "";
  const accent = searchParams.has("theme") ? (searchParams.get("accent") ?? "") : blog.accent;
  return {
    theme: isThemeName(asked) ? asked : blog.theme,
    accent: accent.trim().slice(0, MAX_LENGTHS.typedLine),
  };
}

async function themeAnswer(visit: BlogVisit, look: Look, faults?: FieldErrors): Promise<HttpResponse> {
  const noColour = normalizeAccent(look.accent) === null && { accent: ["must be a color like #8a3b12"] };
  return await adminResponse(visit, {
    title: "Theme",
    place: "settings",
    head: settingsHead,
    scripts: ["accent-picking", "post-list"],
    policy: ["frame-src 'self'"],
    main: await themeMain(visit, look, faults ?? (noColour || undefined)),
    status: faults ? ERROR_STATUS.invalid : 200,
  });
}

async function saveTheme(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit, FORM);
  const look = { theme: form.get("theme") ?? blog.theme, accent: form.get("accent")?.trim() ?? "" };
  try {
    configureBlog(call.platen, blog, look);
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    return themeAnswer(visit, look, fault.fields);
  }
  return redirectWithToast(call, call.url.pathname, { says: `Theme changed to ${look.theme}.` });
}

export interface Look {
  theme: string;
  accent: string;
}

async function themeMain(visit: BlogVisit, look: Look, faults: FieldErrors = {}): Promise<Html> {
  const { call, blog, token } = visit;
  const path = call.url.pathname;
  const { posts } = await publicPosts(call.platen, blog, "home", { page: 1, limit: 1 });
  return html`${settingsTop(visit, "/look")}
<section class="settings">
<h2>Theme and color</h2>
<form method="get" action="${path}" data-follow="tried">
<fieldset class="plain"><legend>Theme</legend>
${THEME_NAMES.map((name) => html`<div class="switch"><input type="radio" id="theme-${name}" name="theme" value="${name}"${name === look.theme && html` checked`}><label for="theme-${name}"><span><strong>${name}</strong>, ${themeNamed(name).description}${name === blog.theme && " (current)"}</span></label></div>`)}
</fieldset>
${formField(
  {
    name: "accent",
    label: "Accent",
    isOptional: true,
    faults: faults.accent,
    hint: "Color of links and buttons, like #1d6b57. Leave empty for the theme's own. Adjusted if it is hard to read.",
  },
  (attributes) =>
    html`<div class="beside"><input ${attributes} value="${look.accent}" placeholder="#1d6b57" autocomplete="off" autocapitalize="none" spellcheck="false">
<input type="color" id="accent-picker" value="${pickerColour(look)}" aria-label="Pick the accent color" data-with-scripts></div>`,
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

/** The iframe's sandbox disables navigation by its links. */
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
