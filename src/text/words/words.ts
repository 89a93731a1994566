import { type Html, type HtmlValue, html } from "../html";
import ar from "./ar.json";
import de from "./de.json";
import en from "./en.json";
import es from "./es.json";
import fr from "./fr.json";
import it from "./it.json";
import ja from "./ja.json";
import nl from "./nl.json";
import pl from "./pl.json";
import pt from "./pt.json";

export type Word = keyof typeof en;
type Words = Record<Word, string>;
type Reader = { language: string };

export const WORDS: Record<string, Words> = { ar, de, en, es, fr, it, ja, nl, pl, pt };

/** English if Platen has no words in the language. `{name}` stands for the value of that name. */
export function word({ language }: Reader, key: Word, values: Record<string, string | number> = {}): string {
  return wordsOf(language)[key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

export function wordHtml({ language }: Reader, key: Word, values: Record<string, HtmlValue>): Html {
  const parts = wordsOf(language)[key].split(/\{(\w+)\}/);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : values[part]))}`;
}

/** Marks the words as English if the blog's language has none. `dir` keeps arrows at the correct end. */
export function say(blog: Reader, key: Word, values: Record<string, HtmlValue> = {}): Html {
  const words = wordHtml(blog, key, values);
  const language = englishLang(blog);
  return language ? html`<span${language} dir="ltr">${words}</span>` : words;
}

/** A `lang` attribute; null if Platen has words in the blog's language. */
export function englishLang({ language }: Reader): Html | null {
  return hasWords(language) ? null : html` lang="en"`;
}

export function wordLanguage({ language }: Reader): string {
  return hasWords(language) ? language : "en";
}

function wordsOf(language: string): Words {
  return WORDS[baseLanguage(language)] ?? en;
}

function hasWords(language: string): boolean {
  return baseLanguage(language) in WORDS;
}

function baseLanguage(language: string): string {
  return language.split("-", 1)[0] as string;
}
