import { firstFree } from "../text/unused-name";
import { isReserved } from "./reserved-slugs";

/** Loaded at the first text that needs it: the tables of all scripts would slow every start. */
const transliterate = (text: string): string =>
  (require("transliteration") as typeof import("transliteration")).transliterate(text);

/** Characters of a slug made from a title; one that was asked for may have more (contract.md 4 Limits). */
const LONGEST_MADE = 80;
export const MAX_SLUG_LENGTH = 200;

/**
 * The text in a-z, 0-9 and hyphens, cut between words where it is longer; "" where nothing is left of it.
 * @param longest in characters
 */
export function slugify(text: string, longest = LONGEST_MADE): string {
  const inLatin = /[^ -~]/.test(text) ? transliterate(text.normalize("NFC")) : text;
  const words = inLatin
    .toLowerCase()
    .replace(/['’`]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return cutBetweenWords(words, longest);
}

function cutBetweenWords(words: string, longest: number): string {
  if (words.length <= longest) return words;
  const end = words.lastIndexOf("-", longest);
  return words.slice(0, end > 0 ? end : longest);
}

/** The wish itself, or with a suffix (-2, -3, …) that makes it neither reserved nor taken. */
export function freeSlug(wish: string, taken: (slug: string) => boolean): string {
  return firstFree(
    (number) => {
      const suffix = number === 1 ? "" : `-${number}`;
      return wish.slice(0, MAX_SLUG_LENGTH - suffix.length) + suffix;
    },
    (slug) => isReserved(slug) || taken(slug),
  );
}
