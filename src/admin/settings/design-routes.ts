import { configureBlog, normalizeAccent } from "../../blogs/blog-settings";
import type { Blog } from "../../blogs/blogs";
import { designFile, parseDesignFile } from "../../blogs/design-file";
import { folderThemes, themeNamesOf, themeOf } from "../../blogs/folder-themes";
import { footerLinksError } from "../../blogs/navigation-links";
import { MAX_LENGTHS } from "../../config/request-limits";
import { collectErrors, type FieldErrors } from "../../errors";
import { type FormState, formField, NO_CORRECTIONS, selectField, textField } from "../../http/form-field";
import type { HttpResponse } from "../../http/responses/response";
import type { ScriptName } from "../../owner/scripts/entry-points";
import { publicPosts } from "../../posts/reading/public-posts";
import { capitalize } from "../../text/clean-text";
import { type Html, html } from "../../text/html";
import {
  DESIGN_CHOICE_NAMES,
  DESIGN_CHOICES,
  type Design,
  type DesignChoice,
  designErrors,
  designFrom,
  designInQuery,
} from "../../themes/design-choices";
import { settingsHead } from "../layout/admin-styles";
import { settingsTop } from "../layout/menu-and-shortcuts";
import { postForm, withQuery } from "../layout/page-controls";
import { type AdminPage, blogRoutes, downloadResponse, withForm } from "../layout/routing";
import { AdminForm, type BlogVisit, blogPath } from "../layout/visit";

/** Form encoding may triple the size of a design file. */
const MAX_DESIGN_FORM_BYTES = 1_500_000;

export const themeRoutes = blogRoutes({
  "GET /settings/theme": (visit) => themePage(visit, lookInQuery(visit)),
  "POST /settings/theme": withForm(saveTheme, (visit) =>
    themePage(visit, lookInForm(visit.rejected?.sent ?? new AdminForm(), visit.blog)),
  ),
  "GET /settings/design.json": exportDesign,
  "POST /settings/design.json": withForm(
    importDesign,
    (visit) => themePage(visit, { ...visit.blog, file: visit.rejected?.sent.text("file") }),
    MAX_DESIGN_FORM_BYTES,
  ),
});

interface LookInput extends Pick<Blog, "theme" | "accent" | "design"> {
  file?: string;
}

function lookInQuery({ call, platen, blog }: BlogVisit): LookInput {
  const { searchParams } = call.url;
  const theme = searchParams.get("theme") ?? "";
  if (!searchParams.has("theme")) return blog;
  return {
    theme: themeNamesOf(platen).includes(theme) ? theme : blog.theme,
    accent: (searchParams.get("accent") ?? "").trim().slice(0, MAX_LENGTHS.typedLine),
    design: { ...blog.design, ...designInQuery(searchParams) },
  };
}

function lookInForm(form: AdminForm, blog: Blog): LookInput {
  return {
    theme: form.get("theme") ?? blog.theme,
    accent: form.text("accent").trim(),
    design: designFrom((name) => form.get(name)),
  };
}

function saveTheme({ platen, blog }: BlogVisit, form: AdminForm) {
  configureBlog(platen, blog, lookInForm(form, blog));
  return "Design saved.";
}

function exportDesign({ blog }: BlogVisit): HttpResponse {
  return downloadResponse(JSON.stringify(designFile(blog)), "application/json", `${blog.slug}-design.json`);
}

function importDesign({ platen, blog }: BlogVisit, form: AdminForm) {
  configureBlog(platen, blog, parseDesignFile(form.text("file")));
  return { location: blogPath(blog, "/settings/theme"), toast: "Design imported." };
}

async function themePage(visit: BlogVisit, look: LookInput): Promise<AdminPage> {
  const { platen, blog, token } = visit;
  const path = blogPath(blog, "/settings/theme");
  const { accent, design, file } = look;
  const { posts } = await publicPosts(platen, blog, "home", { page: 1, limit: 1 });
  const background = design.background ?? "";
  const { errors: themeErrors } = folderThemes(platen);
  const errors = { ...lookErrors(look), ...visit.rejected?.errors };
  const form = { values: { accent, background, footerLinks: design.footerLinks }, errors };
  const main = html`${settingsTop(visit, "/settings/theme")}
<section class="settings">
<form id="design" method="get" action="${path}" data-follow="tried">
<fieldset class="plain tiles"><legend>Theme</legend>
${themeNamesOf(platen).map((name) => themeTile(visit, look, name))}
</fieldset>
${themeErrors.length > 0 && html`<ul class="wrong">${themeErrors.map((error) => html`<li>${error}</li>`)}</ul>`}
<div class="choices">
${DESIGN_CHOICE_NAMES.map((name) => designChoice(name, design, errors))}
${colorField(form, "accent", "Accent", normalizeAccent(accent) || themeOf(platen, look).accent)}
${colorField(form, "background", "Background", background || "#ffffff")}
</div>
<p class="hint">Colors like #1d6b57. Leave empty for the theme's own colors. Text stays readable on any color.</p>
${textField(form, "footerLinks", "Footer links", {
  isOptional: true,
  hint: "One link per line, like About=/about. Leave empty for archive, search and RSS.",
  more: html`rows="3" autocapitalize="none" spellcheck="false" placeholder="${STANDARD_FOOTER_LINKS}"`,
})}
<div class="actions" data-without-scripts><button class="quiet">Preview</button></div>
</form>
</section>
<div id="tried">
<div class="actions">
<button class="primary" form="design" formmethod="post" name="token" value="${token}">Use this design</button>
<span class="hint">Only you see this preview.</span>
</div>
<div class="looks">
${previewFrame(visit, look, "home", "Home page")}
${posts.length > 0 && previewFrame(visit, look, "post", "Latest post")}
</div>
</div>
<section class="settings"><h2>Copy the design</h2>
<p><a href="${blogPath(blog, "/settings/design.json")}" download>Export the design</a>: theme, choices and custom CSS in one file.</p>
${postForm(visit, "", blogPath(blog, "/settings/design.json"))}
${textField({ values: { file } }, "file", "Design file", {
  hint: "To import a design, paste the text of its file.",
  sentences: file === undefined ? [] : errorSentences(errors),
  more: html`rows="3" required spellcheck="false" class="code"`,
})}
<div class="actions"><button class="quiet">Import</button></div>
</form>
</section>`;
  const scripts: ScriptName[] = ["accent-picking", "post-list"];
  return { title: "Design", place: "settings", head: settingsHead, scripts, main };
}

function lookErrors({ accent, design }: LookInput): FieldErrors {
  const errors = collectErrors({
    accent: normalizeAccent(accent) === null && "must be a color like #8a3b12",
    footerLinks: footerLinksError(design.footerLinks ?? ""),
  });
  return { ...designErrors(design), ...errors };
}

function errorSentences(errors: FieldErrors): string[] {
  return Object.entries(errors).flatMap(([name, wrong]) => wrong.map((error) => `${name} ${error}.`));
}

const CHOICE_LABELS: Record<DesignChoice, string> = {
  fonts: "Fonts",
  size: "Text size",
  width: "Line length",
  spacing: "Spacing",
  corners: "Corners",
  header: "Header",
  list: "Lists show",
  dates: "Dates",
};

const VALUE_LABELS: Record<string, string> = {
  theme: "Theme default",
  serif: "Literata",
  sans: "Hanken Grotesk",
  photo: "Instrument Sans",
  mono: "Geist Mono",
  magazine: "Fraunces and Libre Franklin",
  journal: "EB Garamond",
  system: "Reader's system font",
  line: "One line",
};

function designChoice(name: DesignChoice, design: Design, errors: FieldErrors): Html {
  const form = { values: { [name]: design[name] ?? DESIGN_CHOICES[name][0] }, errors };
  const choices = DESIGN_CHOICES[name].map((value) => [value, VALUE_LABELS[value] ?? capitalize(value)]);
  return selectField(form, name, CHOICE_LABELS[name], Object.fromEntries(choices));
}

const STANDARD_FOOTER_LINKS = "Archive=/archive\nSearch=/search\nRSS=/feed.xml";

function colorField({ values, errors }: FormState, name: string, label: string, picker: string): Html {
  return formField(
    { name, label, isOptional: true, errors: errors?.[name] },
    (attributes) =>
      html`<div class="beside"><input ${attributes} value="${values?.[name]}" placeholder="#1d6b57" ${NO_CORRECTIONS}>
<input type="color" data-picker="${name}" value="${picker}" aria-label="Pick the ${label.toLowerCase()} color" data-with-scripts></div>`,
  );
}

function themeTile({ platen, blog }: BlogVisit, look: LookInput, name: string): Html {
  return html`<label class="tile"><span class="thumb"><iframe sandbox tabindex="-1" loading="lazy" title="Preview of the theme ${name}" src="${previewPath(blog, { ...look, theme: name }, "home")}"></iframe></span>
<span class="tile-name"><input type="radio" id="theme-${name}" name="theme" value="${name}"${name === look.theme && html` checked`}><strong>${name}</strong>${name === blog.theme && " (current)"}</span>
<span class="hint">${themeOf(platen, { theme: name }).description}</span></label>`;
}

function previewPath(blog: Blog, { theme, accent, design }: LookInput, page: "home" | "post"): string {
  const { background, footerLinks } = design;
  const choices = Object.fromEntries(DESIGN_CHOICE_NAMES.map((name) => [name, design[name]]));
  return withQuery(blogPath(blog, `/look/${page}`), { theme, accent, background, footerLinks, ...choices });
}

/** The sandbox blocks scripts, and links that would replace the admin page. */
function previewFrame({ blog }: BlogVisit, look: LookInput, page: "home" | "post", title: string): Html {
  return html`<iframe sandbox title="${title}, with ${look.theme}" src="${previewPath(blog, look, page)}"></iframe>`;
}
