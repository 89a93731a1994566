import type { Blog } from "../../blogs/blogs";
import { type Html, type HtmlValue, html } from "../../text/html";

/** ISO 15924. */
const RIGHT_TO_LEFT = ["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"];

/** "he" → "rtl". */
export function directionOf(language: string): "ltr" | "rtl" {
  // Intl.Locale is slow on first use.
  if (language === "en") return "ltr";
  const { script } = new Intl.Locale(language).maximize();
  return script && RIGHT_TO_LEFT.includes(script) ? "rtl" : "ltr";
}

type Reader = Pick<Blog, "language">;

/** `lang` attribute for Platen's own English texts; null if the blog is in English. */
export function englishLang(blog: Reader): Html | null {
  return new Intl.Locale(blog.language).language === "en" ? null : html` lang="en"`;
}

/** Platen's own text, marked as English; `dir` keeps punctuation and arrows in place. */
export function inEnglish(blog: Reader, words: string): HtmlValue {
  const language = englishLang(blog);
  return language ? html`<span${language} dir="ltr">${words}</span>` : words;
}
