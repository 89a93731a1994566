import type { Blog } from "../../blogs/blogs";
import type { PostRow } from "../../posts/post/post";
import { type Html, html } from "../../text/html";

/** ISO 15924. */
const RIGHT_TO_LEFT = ["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"];

/** "he" → "rtl". */
export function directionOf(language: string): "ltr" | "rtl" {
  // Intl.Locale is slow on first use.
  if (language === "en") return "ltr";
  const { script } = new Intl.Locale(language).maximize();
  return script && RIGHT_TO_LEFT.includes(script) ? "rtl" : "ltr";
}

/** `lang` and `dir` of a part in another language than the text around it; null if it is the same. */
export function partLanguage(language: string, around: string): Html | null {
  return language === around ? null : html` lang="${language}" dir="${directionOf(language)}"`;
}

/** A language's name in itself: "de" → "Deutsch". */
export function languageName(language: string): string {
  return new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
}

/** Pages for hreflang. The first one is also for all other languages. */
export function alternates<Page extends { language: string }>(pages: Page[]): Page[] {
  const [first] = pages;
  return first ? [...pages, { ...first, language: "x-default" }] : [];
}

/** The link to a page in another language (HTML 4.6.6.1). */
export function alternateLink({ language, url }: { language: string; url: string }): Html {
  return html`<link rel="alternate" hreflang="${language}" href="${url}">\n`;
}

/** The blog for labels inside a post's content, which are in the post's language. */
export function blogInLanguageOf({ language }: Pick<PostRow, "language">, blog: Blog): Blog {
  return language === null ? blog : { ...blog, language };
}
