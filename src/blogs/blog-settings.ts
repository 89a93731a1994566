import { eq } from "drizzle-orm";
import { blogs } from "../database/schema";
import { assertNoFieldErrors, type FieldErrors } from "../errors";
import type { Platen } from "../platen";
import { cleanText } from "../text/clean-text";
import { type Design, designErrors } from "../themes/design";
import type { CleanCss } from "./appearance/custom-css";
import { findTheme, themeNamesOf } from "./appearance/folder-themes";
import type { CleanHtml } from "./appearance/header-footer-html";
import { type Blog, MAX_BLOG_TITLE_LENGTH, recordSettingsChange } from "./blogs";
import { footerLinksErrors, type NavigationLink, navigationErrors } from "./navigation-check";
import { isTimeZone } from "./time-zone";

export const MAX_DESCRIPTION_LENGTH = 1000;
export const MAX_HTML_LENGTH = 10_000;
export const MAX_CSS_LENGTH = 100_000;
const MAX_PROFILES = 30;
export const MAX_POSTS_PER_PAGE = 100;

// The sanitizers are loaded on demand, for a fast start.
const cleanCss = (text: string): CleanCss =>
  (require("./appearance/custom-css") as typeof import("./appearance/custom-css")).cleanCss(text);
const cleanOwnerHtml = (platen: Platen, place: "header" | "footer", source: string): CleanHtml =>
  (
    require("./appearance/header-footer-html") as typeof import("./appearance/header-footer-html")
  ).cleanOwnerHtml(platen, place, source);

/** Missing fields stay unchanged. */
export interface BlogChanges {
  title?: string;
  description?: string;
  language?: string;
  timeZone?: string;
  theme?: string;
  /** "#rrggbb" or "#rgb". "" stands for the theme's accent. */
  accent?: string;
  design?: Design;
  header?: string;
  footer?: string;
  css?: string;
  profiles?: string[];
  /** If both ids are null, the home page shows the newest posts. */
  home?: Pick<Blog, "homePostId" | "homeCategoryId">;
  navigation?: NavigationLink[];
  postsAPage?: number;
  feedContent?: string;
  kommentsOpen?: boolean;
  kommentsModerated?: boolean;
  /** Whether webhooks get `komment.created`. */
  kommentEvents?: boolean;
}

export interface Configured {
  blog: Blog;
  /** Field → sentences about removed HTML or CSS */
  leftOut: FieldErrors;
}

/** @throws Refusal (invalid) with all field errors; then nothing is changed */
export function configureBlog(platen: Platen, { id }: Pick<Blog, "id">, changes: BlogChanges): Configured {
  const errors = fieldErrors(platen, changes);
  assertNoFieldErrors(errors);
  const {
    header,
    footer,
    css,
    language,
    title,
    description,
    theme,
    accent,
    design,
    home,
    feedContent,
    ...plain
  } = changes;
  const clean = css === undefined ? undefined : cleanCss(css);
  const cleanHeader = header === undefined ? undefined : cleanOwnerHtml(platen, "header", cleanText(header));
  const cleanFooter = footer === undefined ? undefined : cleanOwnerHtml(platen, "footer", cleanText(footer));
  const values = {
    ...plain,
    ...home,
    title: title?.trim(),
    description: description?.trim(),
    language: language && Intl.getCanonicalLocales(language)[0],
    theme,
    feedContent: feedContent as Blog["feedContent"] | undefined,
    accent: accent === undefined ? undefined : (normalizeAccent(accent) ?? undefined),
    headerHtml: cleanHeader?.html,
    footerHtml: cleanFooter?.html,
    customCss: clean?.css,
    cssSource: css,
  };
  const previous = platen.db.select().from(blogs).where(eq(blogs.id, id)).get();
  const chosen = Object.entries(design ?? {}).filter(([, choice]) => choice !== undefined);
  const designed = chosen.length > 0 && { design: { ...previous?.design, ...Object.fromEntries(chosen) } };
  const blog = platen.db
    .update(blogs)
    .set({ ...values, ...designed, updatedAt: platen.now() })
    .where(eq(blogs.id, id))
    .returning()
    .get();
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
  const errors: FieldErrors = {};
  const { title, description, language, timeZone, theme, accent, header, footer, css } = changes;
  const { profiles, postsAPage, navigation, feedContent } = changes;
  const tooLong = (text: string | undefined, max: number) =>
    (text?.length ?? 0) > max ? [`must be at most ${max} characters`] : undefined;
  const checks: Record<string, string[] | undefined | false> = {
    title: title?.trim() === "" ? ["must not be empty"] : tooLong(title, MAX_BLOG_TITLE_LENGTH),
    description: tooLong(description, MAX_DESCRIPTION_LENGTH),
    language: language !== undefined && !isLanguage(language) && [LANGUAGE_ERROR],
    time_zone: timeZone !== undefined && !isTimeZone(timeZone) && ["must be a name like Europe/Berlin"],
    theme: theme !== undefined &&
      !findTheme(platen, theme) && [`must be one of ${themeNamesOf(platen).join(", ")}`],
    accent: accent !== undefined && normalizeAccent(accent) === null && ["must be a color like #8a3b12"],
    header: tooLong(header, MAX_HTML_LENGTH),
    footer: tooLong(footer, MAX_HTML_LENGTH),
    css: tooLong(css, MAX_CSS_LENGTH),
    profiles: profiles && profilesError(profiles),
    posts_a_page: postsAPage !== undefined &&
      !isPageLength(postsAPage) && [`must be a number from 1 to ${MAX_POSTS_PER_PAGE}`],
    footerLinks: footerLinksErrors(changes.design?.footerLinks ?? ""),
    feed_content: feedContent !== undefined &&
      feedContent !== "full" &&
      feedContent !== "summary" && ["must be full or summary"],
  };
  for (const [field, messages] of Object.entries(checks)) if (messages) errors[field] = messages;
  return {
    ...errors,
    ...designErrors(changes.design ?? {}),
    ...(navigation && navigationErrors(navigation)),
  };
}

function isPageLength(posts: number): boolean {
  return Number.isInteger(posts) && posts >= 1 && posts <= MAX_POSTS_PER_PAGE;
}

export const LANGUAGE_ERROR = "must be a language tag like en or pt-BR";
/** Smallest limit that RFC 5646 4.4.1 permits. */
const MAX_LANGUAGE_LENGTH = 35;

/**
 * Accepts a BCP 47 tag that begins with a language code. The syntax alone would accept "german" and "xx".
 * Two-letter codes must have a known name. Any three-letter code is accepted, and no longer codes exist.
 */
export function isLanguage(tag: string): boolean {
  if (tag.length > MAX_LANGUAGE_LENGTH) return false;
  try {
    const { language } = new Intl.Locale(tag);
    if (language.length !== 2) return language.length === 3;
    return new Intl.DisplayNames("en", { type: "language", fallback: "none" }).of(language) !== undefined;
  } catch {
    return false;
  }
}

/** "#abc" → "#aabbcc", "" → "". null if the text is not a color. */
export function normalizeAccent(color: string): string | null {
  if (!/^(?:#(?:[0-9a-f]{3}){1,2})?$/i.test(color)) return null;
  return color.length === 4 ? color.replace(/[0-9a-f]/gi, "$&$&") : color;
}

function profilesError(profiles: string[]): string[] | undefined {
  if (profiles.length > MAX_PROFILES) return [`must be at most ${MAX_PROFILES} addresses`];
  const isAddress = (text: string) => /^(?:https?|mailto):$/.test(URL.parse(text)?.protocol ?? "");
  return profiles.every(isAddress) ? undefined : ["must be addresses that begin with https:// or mailto:"];
}
