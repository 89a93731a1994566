import type { Blog } from "../../blogs/blogs";
import type { PostRow } from "../../posts/post/post";
import { type Html, html } from "../../text/html";

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
