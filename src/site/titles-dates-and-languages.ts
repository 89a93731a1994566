import type { Blog } from "../blogs/blogs";
import type { Platen } from "../platen";
import { excerpt } from "../posts/content/plain-text-and-excerpts";
import { replyContextText } from "../posts/content/reply-context";
import { contentWarning, type PostRow } from "../posts/post/post";
import { excerptOf } from "../posts/storage/stored-posts";
import { type Html, html } from "../text/html";

const MAX_TITLE_FALLBACK = 60;
/** In characters. Search engines show about this many. */
export const MAX_META_DESCRIPTION = 160;

type SummaryFields = Pick<PostRow, "id" | "summary" | "excerpt" | "properties">;

export function displayTitle(platen: Platen, post: SummaryFields & Pick<PostRow, "title" | "slug">): string {
  return post.title || excerpt(summaryOf(platen, post, MAX_TITLE_FALLBACK), MAX_TITLE_FALLBACK) || post.slug;
}

/**
 * Falls back to the content warning, then an excerpt, then a text such as "In reply to …".
 * @param maxLength in characters, at most MAX_EXCERPT_LENGTH; does not apply to the post's own summary
 */
export function summaryOf(platen: Platen, post: SummaryFields, maxLength: number): string {
  if (post.summary !== null) return post.summary;
  const text = contentWarning(post) || excerptOf(platen, post) || replyContextText(post.properties);
  return excerpt(text, maxLength);
}

export function behindWarning(post: Pick<PostRow, "properties">, content: Html): Html {
  const warning = contentWarning(post);
  return warning ? html`<details><summary>${warning}</summary>${content}</details>` : content;
}

type Reader = Pick<Blog, "language" | "timeZone">;

/** Creating a writer is slow, so use one per page. */
export function dateWriter(blog: Reader & Pick<Blog, "design">): (at: Date) => Html {
  const { dates = "long" } = blog.design;
  return writer(blog, { dateStyle: dates as "long" | "medium" | "short" });
}

export function timeWriter(blog: Reader): (at: Date) => Html {
  return writer(blog, { dateStyle: "long", timeStyle: "short" });
}

export function shortDateWriter(blog: Reader): (at: Date) => Html {
  return writer(blog, { month: "short", day: "numeric" });
}

function writer({ language, timeZone }: Reader, style: Intl.DateTimeFormatOptions): (at: Date) => Html {
  const format = new Intl.DateTimeFormat(language, { ...style, timeZone });
  return (at) =>
    html`<time class="dt-published" datetime="${withOffset(at, timeZone)}">${format.format(at)}</time>`;
}

function withOffset(at: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  return local.toString({ timeZoneName: "never", smallestUnit: "second" });
}

/** Right-to-left scripts by their ISO 15924 codes. */
const RIGHT_TO_LEFT = ["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"];

export function directionOf(language: string): "ltr" | "rtl" {
  // Intl.Locale is slow on first use.
  if (language === "en") return "ltr";
  const { script } = new Intl.Locale(language).maximize();
  return script && RIGHT_TO_LEFT.includes(script) ? "rtl" : "ltr";
}

export function partLanguage(language: string, surrounding: string): Html | null {
  return language === surrounding ? null : html` lang="${language}" dir="${directionOf(language)}"`;
}

export function languageName(language: string): string {
  return new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
}

/** The first page is also the default for other languages (x-default). */
export function alternates<Page extends { language: string }>(pages: Page[]): Page[] {
  const [first] = pages;
  return first ? [...pages, { ...first, language: "x-default" }] : [];
}

export function alternateLink({ language, url }: { language: string; url: string }): Html {
  return html`<link rel="alternate" hreflang="${language}" href="${url}">\n`;
}

/** For labels inside the post's content. */
export function blogInLanguageOf({ language }: Pick<PostRow, "language">, blog: Blog): Blog {
  return language === null ? blog : { ...blog, language };
}
