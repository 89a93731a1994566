import type { Blog } from "../../blogs/blogs";
import { type Html, type HtmlValue, html } from "../../text/html";

/** Scripts in use that run from right to left (ISO 15924). */
const RIGHT_TO_LEFT = ["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"];

/** Which way a language is written: "he" → "rtl". */
export function directionOf(language: string): "ltr" | "rtl" {
  // Most blogs: the first question to the table of all languages takes longer than the page.
  if (language === "en") return "ltr";
  const { script } = new Intl.Locale(language).maximize();
  return script && RIGHT_TO_LEFT.includes(script) ? "rtl" : "ltr";
}

type Reader = Pick<Blog, "language">;

/** The `lang` attribute of an element that holds Platen's own words, which are English; null where the blog is English too. */
export function englishLang(blog: Reader): Html | null {
  return new Intl.Locale(blog.language).language === "en" ? null : html` lang="en"`;
}

/** Platen's own words in the text of a blog, marked as English; `dir` keeps their full stops and arrows in place. */
export function inEnglish(blog: Reader, words: string): HtmlValue {
  const language = englishLang(blog);
  return language ? html`<span${language} dir="ltr">${words}</span>` : words;
}
