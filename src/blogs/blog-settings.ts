import { findRow } from "../database/rows";
import { blogs } from "../database/schema";
import { assertNoFieldErrors, collectErrors, type FieldErrors, tooLong } from "../errors";
import type { Platen } from "../platen";
import { cleanText } from "../text/clean-text";
import type { HtmlRules } from "../text/html-sanitizer";
import { isLanguage, LANGUAGE_ERROR } from "../text/language-tags";
import { type Design, designErrors } from "../themes/design-choices";
import { type Blog, MAX_BLOG_TITLE_LENGTH, recordSettingsChange, updateBlog } from "./blogs";
import { cleanCss, findTheme, themeNamesOf } from "./folder-themes";
import { footerLinksError, navigationErrors } from "./navigation-links";
import { isTimeZone } from "./time-zone";

export const MAX_DESCRIPTION_LENGTH = 1000;
export const MAX_HTML_LENGTH = 10_000;
export const MAX_CSS_LENGTH = 100_000;
const MAX_PROFILES = 30;
export const MAX_POSTS_PER_PAGE = 100;

type Texts = Pick<Blog, "title" | "description" | "language" | "timeZone" | "theme" | "profiles">;
type Switches = Pick<Blog, "kommentsOpen" | "kommentsModerated" | "kommentEvents">;

/** Missing fields stay unchanged. */
export interface BlogChanges extends Partial<Texts & Switches & Pick<Blog, "navigation" | "postsAPage">> {
  /** "#rrggbb" or "#rgb". "" stands for the theme's accent. */
  accent?: string;
  design?: Design;
  header?: string;
  footer?: string;
  css?: string;
  /** If both ids are null, the home page shows the newest posts. */
  home?: Pick<Blog, "homePostId" | "homeCategoryId">;
  feedContent?: string;
}

// Loaded on demand, for a fast start.
const htmlSanitizer = () => require("../text/html-sanitizer") as typeof import("../text/html-sanitizer");

interface Configured {
  blog: Blog;
  /** Field → sentences about removed HTML or CSS */
  leftOut: FieldErrors;
}

/** @throws Refusal (invalid) with all field errors; then nothing is changed */
export function configureBlog(platen: Platen, { id }: Pick<Blog, "id">, changes: BlogChanges): Configured {
  assertNoFieldErrors(fieldErrors(platen, changes));
  const { header, footer, css, language, title, description, accent, design, home, ...plain } = changes;
  const clean = css === undefined ? undefined : cleanCss(css);
  const cleanHeader = header === undefined ? undefined : cleanOwnerHtml(platen, "header", cleanText(header));
  const cleanFooter = footer === undefined ? undefined : cleanOwnerHtml(platen, "footer", cleanText(footer));
  const values = {
    ...plain,
    ...home,
    title: title?.trim(),
    description: description?.trim(),
    language: language && Intl.getCanonicalLocales(language)[0],
    feedContent: plain.feedContent as Blog["feedContent"] | undefined,
    accent: accent === undefined ? undefined : (normalizeAccent(accent) ?? undefined),
    headerHtml: cleanHeader?.html,
    footerHtml: cleanFooter?.html,
    customCss: clean?.css,
    cssSource: css,
  };
  const previous = findRow(platen, blogs, { id });
  const chosen = Object.entries(design ?? {}).filter(([, choice]) => choice !== undefined);
  const designed = chosen.length > 0 && { design: { ...previous?.design, ...Object.fromEntries(chosen) } };
  const blog = updateBlog(platen, id, { ...values, ...designed });
  const changed = previous ? changedNames(previous, blog) : [];
  if (changed.length > 0) recordSettingsChange(platen, blog, changed.join(", "));
  const removed: FieldErrors = {};
  for (const [field, cleaned] of Object.entries({ header: cleanHeader, footer: cleanFooter, css: clean }))
    if (cleaned && cleaned.warnings.length > 0) removed[field] = cleaned.warnings;
  return { blog, leftOut: removed };
}

function changedNames(previous: Blog, current: Blog): string[] {
  return Object.entries(current)
    .filter(([name, value]) => name !== "updatedAt" && !Bun.deepEquals(value, previous[name as keyof Blog]))
    .map(([name]) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

export function cssWarnings({ cssSource }: Blog): string[] {
  return cssSource ? cleanCss(cssSource).warnings : [];
}

function fieldErrors(platen: Platen, changes: BlogChanges): FieldErrors {
  const { title, description, language, timeZone, theme, accent, header, footer, css } = changes;
  const { profiles, postsAPage = 1, navigation, feedContent = "full" } = changes;
  const isUnknownTheme = theme !== undefined && !findTheme(platen, theme);
  const isPageLength = Number.isInteger(postsAPage) && postsAPage >= 1 && postsAPage <= MAX_POSTS_PER_PAGE;
  const errors = collectErrors({
    title: title?.trim() === "" ? "must not be empty" : tooLong(title, MAX_BLOG_TITLE_LENGTH),
    description: tooLong(description, MAX_DESCRIPTION_LENGTH),
    language: language !== undefined && !isLanguage(language) && LANGUAGE_ERROR,
    time_zone: timeZone !== undefined && !isTimeZone(timeZone) && "must be a name like Europe/Berlin",
    theme: isUnknownTheme && `must be one of ${themeNamesOf(platen).join(", ")}`,
    accent: accent !== undefined && normalizeAccent(accent) === null && "must be a color like #8a3b12",
    header: tooLong(header, MAX_HTML_LENGTH),
    footer: tooLong(footer, MAX_HTML_LENGTH),
    css: tooLong(css, MAX_CSS_LENGTH),
    profiles: profiles && profilesError(profiles),
    posts_a_page: !isPageLength && `must be a number from 1 to ${MAX_POSTS_PER_PAGE}`,
    footerLinks: footerLinksError(changes.design?.footerLinks ?? ""),
    feed_content: !["full", "summary"].includes(feedContent) && "must be full or summary",
  });
  return { ...errors, ...designErrors(changes.design ?? {}), ...navigationErrors(navigation ?? []) };
}

function profilesError(profiles: string[]): string | false {
  if (profiles.length > MAX_PROFILES) return `must be at most ${MAX_PROFILES} addresses`;
  const isAddress = (text: string) => /^(?:https?|mailto):$/.test(URL.parse(text)?.protocol ?? "");
  return !profiles.every(isAddress) && "must be addresses that begin with https:// or mailto:";
}

/** "#abc" → "#aabbcc", "" → "". null if the text is not a color. */
export function normalizeAccent(color: string): string | null {
  if (!/^(?:#(?:[0-9a-f]{3}){1,2})?$/i.test(color)) return null;
  return color.length === 4 ? color.replace(/[0-9a-f]/gi, "$&$&") : color;
}

const rulesAt = (base: string): HtmlRules => ({
  allowedTags: "a abbr b bdi br code em i img li nav p s small span strong sub sup u ul".split(" "),
  allowedAttributes: {
    "*": ["dir", "lang", "title"],
    a: ["href", "hreflang", "rel"],
    img: ["src", "alt", "width", "height"],
    nav: ["aria-label"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  // Images must be uploads, so that readers' browsers contact no other server.
  exclusiveFilter: ({ tag, attribs }) => tag === "img" && !attribs.src?.startsWith("/media/"),
  transformTags: {
    // Stores upload URLs without the base URL, which may change.
    img: (tagName, { src = "", alt = "", ...attribs }) => {
      const path = src.startsWith(`${base}/`) ? src.slice(base.length) : src;
      return { tagName, attribs: { ...attribs, src: path, alt } };
    },
  },
  nestingLimit: 20,
});

/** Also closes open elements, so that they do not contain the rest of the page. */
function cleanOwnerHtml(platen: Platen, place: "header" | "footer", source: string) {
  const { cleanHtml, cleaningWarnings } = htmlSanitizer();
  const { html, ...removed } = cleanHtml(source, rulesAt(platen.config.url));
  const pictures = removed.dropped.has("img") ? ["Pictures must be uploads of this Platen: /media/…"] : [];
  return { html: html.trim(), warnings: [...cleaningWarnings(place, removed), ...pictures] };
}
