import type { Blog } from "../../blogs/blogs";
import { type Html, type HtmlValue, html } from "../../html";

/** Scripts in use that run from right to left (ISO 15924). */
const RIGHT_TO_LEFT = ["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"];

/** Which way a language is written: "he" → "rtl". */
export function directionOf(language: string): "ltr" | "rtl" {
  const { script } = new Intl.Locale(language).maximize();
  return script && RIGHT_TO_LEFT.includes(script) ? "rtl" : "ltr";
}

type Reader = Pick<Blog, "language">;

/** For the tag around our own words, which are English: says so where the blog is not, so that they are read out that way. */
export function english(blog: Reader): Html | null {
  return new Intl.Locale(blog.language).language === "en" ? null : html` lang="en"`;
}

/** Our own words among a blog's: their full stops and arrows stay at the right end, and the line on the blog's side. */
export function inEnglish(blog: Reader, words: string): HtmlValue {
  const language = english(blog);
  return language ? html`<span${language} dir="ltr">${words}</span>` : words;
}
