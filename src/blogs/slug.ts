import { firstFree } from "../first-free";

/** Loaded at the first text that needs it: the tables of all scripts would slow every start. */
const transliterate = (text: string): string =>
  (require("transliteration") as typeof import("transliteration")).transliterate(text);

/** Characters of a slug made from a title; one that was asked for may have more (contract.md 4 Limits). */
const LONGEST_MADE = 80;
export const LONGEST_SLUG = 200;

/** First path segments that are no slugs, on every host (contract.md 3); `@*` and `.well-known` cannot be slugs. */
const ROOT_SEGMENTS = "api micropub auth admin media assets share setup livez readyz metrics".split(" ");
/** The same below each blog's address: every page of src/site/serving/site-routes.ts begins with one. */
const BLOG_SEGMENTS = ["archive", "category", "feed", "komments", "search", "tag"] as const;
const RESERVED = new Set<string>([...ROOT_SEGMENTS, ...BLOG_SEGMENTS]);

type BlogSegment = (typeof BLOG_SEGMENTS)[number];
/** A path below a blog's address that no post can be at: reserved, or with a dot, which slugs never have. */
export type ReservedPath = "/" | `/${BlogSegment}` | `/${BlogSegment}/${string}` | `/${string}.${string}`;

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

/** No blog can be called so: /admin/blogs/new makes one. */
export const NO_BLOG = "new";

export function isReserved(slug: string): boolean {
  return RESERVED.has(slug);
}

/** Is it the beginning of addresses on every host that no blog answers, whatever follows? */
export function isRootSegment(segment: string): boolean {
  return ROOT_SEGMENTS.includes(segment);
}

/** The wish itself, or with a suffix (-2, -3, …) that makes it neither reserved nor taken. */
export function freeSlug(wish: string, taken: (slug: string) => boolean): string {
  return firstFree(
    (number) => {
      const suffix = number === 1 ? "" : `-${number}`;
      return wish.slice(0, LONGEST_SLUG - suffix.length) + suffix;
    },
    (slug) => isReserved(slug) || taken(slug),
  );
}
