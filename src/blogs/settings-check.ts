import type { FieldErrors } from "../errors";
import type { Platen } from "../platen";
import { isLanguage, LANGUAGE_ERROR } from "../text/language-tags";
import { type Design, designErrors } from "../themes/design-choices";
import { normalizeAccent } from "./appearance/accent-check";
import { findTheme, themeNamesOf } from "./appearance/folder-themes";
import { type Blog, MAX_BLOG_TITLE_LENGTH } from "./blogs";
import { footerLinksErrors, navigationErrors } from "./navigation-check";
import { isTimeZone } from "./time-zone";

export const MAX_DESCRIPTION_LENGTH = 1000;
export const MAX_HTML_LENGTH = 10_000;
export const MAX_CSS_LENGTH = 100_000;
const MAX_PROFILES = 30;
export const MAX_POSTS_PER_PAGE = 100;

type Texts = Pick<Blog, "title" | "description" | "language" | "timeZone" | "theme" | "profiles">;
type Lists = Pick<Blog, "navigation" | "postsAPage">;
type Switches = Pick<Blog, "kommentsOpen" | "kommentsModerated" | "kommentEvents">;

/** Missing fields stay unchanged. */
export interface BlogChanges extends Partial<Texts & Lists & Switches> {
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

export function fieldErrors(platen: Platen, changes: BlogChanges): FieldErrors {
  const errors: FieldErrors = {};
  const { title, description, language, timeZone, theme, accent, header, footer, css } = changes;
  const { profiles, postsAPage = 1, navigation, feedContent = "full" } = changes;
  const isUnknownTheme = theme !== undefined && !findTheme(platen, theme);
  const tooLong = (text: string | undefined, max: number) =>
    (text?.length ?? 0) > max ? [`must be at most ${max} characters`] : undefined;
  const checks: Record<string, string[] | undefined | false> = {
    title: title?.trim() === "" ? ["must not be empty"] : tooLong(title, MAX_BLOG_TITLE_LENGTH),
    description: tooLong(description, MAX_DESCRIPTION_LENGTH),
    language: language !== undefined && !isLanguage(language) && [LANGUAGE_ERROR],
    time_zone: timeZone !== undefined && !isTimeZone(timeZone) && ["must be a name like Europe/Berlin"],
    theme: isUnknownTheme && [`must be one of ${themeNamesOf(platen).join(", ")}`],
    accent: accent !== undefined && normalizeAccent(accent) === null && ["must be a color like #8a3b12"],
    header: tooLong(header, MAX_HTML_LENGTH),
    footer: tooLong(footer, MAX_HTML_LENGTH),
    css: tooLong(css, MAX_CSS_LENGTH),
    profiles: profiles && profilesError(profiles),
    posts_a_page: !isPageLength(postsAPage) && [`must be a number from 1 to ${MAX_POSTS_PER_PAGE}`],
    footerLinks: footerLinksErrors(changes.design?.footerLinks ?? ""),
    feed_content: !["full", "summary"].includes(feedContent) && ["must be full or summary"],
  };
  for (const [field, messages] of Object.entries(checks)) if (messages) errors[field] = messages;
  return { ...errors, ...designErrors(changes.design ?? {}), ...navigationErrors(navigation ?? []) };
}

function isPageLength(posts: number): boolean {
  return Number.isInteger(posts) && posts >= 1 && posts <= MAX_POSTS_PER_PAGE;
}

function profilesError(profiles: string[]): string[] | undefined {
  if (profiles.length > MAX_PROFILES) return [`must be at most ${MAX_PROFILES} addresses`];
  const isAddress = (text: string) => /^(?:https?|mailto):$/.test(URL.parse(text)?.protocol ?? "");
  return profiles.every(isAddress) ? undefined : ["must be addresses that begin with https:// or mailto:"];
}
