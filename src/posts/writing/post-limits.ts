/** How much a post may hold (contract.md 4); its slug's length stands with slugs, its properties' with those. */

/** In characters. */
export const LONGEST_TITLE = 500;
/** Of what is sent, in bytes. */
export const LARGEST_CONTENT = 5 * 1024 * 1024;
/** Of a category or a tag, in characters. */
export const LONGEST_NAME = 100;
export const MOST_TAGS = 100;
export const MOST_ALT_TEXTS = 1000;
/** In characters. */
export const LONGEST_ALT_TEXT = 10_000;
