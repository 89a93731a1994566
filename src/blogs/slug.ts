/** Loaded on first use, because the library contains tables of all scripts. */
const transliterate = (text: string): string =>
  (require("transliteration") as typeof import("transliteration")).transliterate(text);

const MAX_GENERATED_LENGTH = 80;
export const MAX_SLUG_LENGTH = 200;

/** Returns only a-z, 0-9 and hyphens; "" if no character is usable. */
export function slugify(text: string, maxLength = MAX_GENERATED_LENGTH): string {
  const latin = /[^ -~]/.test(text) ? transliterate(text.normalize("NFC")) : text;
  const words = latin
    .toLowerCase()
    .replace(/['’`]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  if (words.length <= maxLength) return words;
  const end = words.lastIndexOf("-", maxLength);
  return words.slice(0, end > 0 ? end : maxLength);
}

export function freeSlug(requested: string, isTaken: (slug: string) => boolean): string {
  return firstFree(
    (number) => {
      const suffix = number === 1 ? "" : `-${number}`;
      return requested.slice(0, MAX_SLUG_LENGTH - suffix.length) + suffix;
    },
    (slug) => RESERVED.has(slug) || isTaken(slug),
  );
}

/**
 * The server itself uses these first path segments on every host. `@…` and `.well-known` are missing, because
 * slugs cannot contain them.
 */
const ROOT_SEGMENTS = "api micropub auth admin media assets share setup livez readyz metrics".split(" ");
/** First segments that are reserved below each blog's URL. */
const BLOG_SEGMENTS = [
  "archive",
  "category",
  "feed",
  "komments",
  "newsletter",
  "nodeinfo",
  "search",
  "tag",
  "webmention",
] as const;
const RESERVED = new Set<string>([...ROOT_SEGMENTS, ...BLOG_SEGMENTS]);

type BlogSegment = (typeof BLOG_SEGMENTS)[number];
/** A path that no post can have: reserved, or with a dot, which slugs never contain. */
export type ReservedPath = "/" | `/${BlogSegment}` | `/${BlogSegment}/${string}` | `/${string}.${string}`;

/** /admin/blogs/new creates a blog, so no blog may have this slug. */
export const NO_BLOG = "new";

export function isReserved(slug: string): boolean {
  return RESERVED.has(slug);
}

export function isRootSegment(segment: string): boolean {
  return ROOT_SEGMENTS.includes(segment);
}

const MAX_SEQUENTIAL_TRIES = 8;

/**
 * Calls `isTaken` only a few dozen times even if thousands of names are taken, so the number may not be the
 * lowest.
 * @param named returns the name with this number; numbers start at 1
 */
export function firstFree(named: (number: number) => string, isTaken: (name: string) => boolean): string {
  for (let number = 1; number <= MAX_SEQUENTIAL_TRIES; number++)
    if (!isTaken(named(number))) return named(number);
  let taken = MAX_SEQUENTIAL_TRIES;
  let free = 2 * MAX_SEQUENTIAL_TRIES;
  for (; isTaken(named(free)); free *= 2) taken = free;
  while (free - taken > 1) {
    const between = Math.floor((taken + free) / 2);
    if (isTaken(named(between))) taken = between;
    else free = between;
  }
  return named(free);
}
