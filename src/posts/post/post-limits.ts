import { MEGABYTE } from "../../config/units";

/** How much a post may hold (contract.md 4); its slug's length stands with slugs, its properties' with those. */

/** In characters. */
export const MAX_TITLE_LENGTH = 500;
/** In characters. */
export const MAX_SUMMARY_LENGTH = 500;
/** Of the source as UTF-8, in bytes. */
export const MAX_CONTENT_BYTES = 1_000_000;
export const CONTENT_LIMIT = "at most 1 MB (1,000,000 bytes)";
/** Of a category or a tag, in characters. */
export const MAX_TOPIC_NAME_LENGTH = 100;
/** Of posts that are listed together, in bytes; a single one may have more. */
export const MAX_PAGE_CONTENT_BYTES = 10_000_000;
export const MAX_TAGS = 100;
export const MAX_ALT_TEXTS = 1000;
/** In characters. */
export const MAX_ALT_TEXT_LENGTH = 10_000;

/** What may become of its content. People's texts come nowhere near; a few letters made to grow would fill memory and disk. */

/** For reading and cleaning it, in milliseconds; for marking up its code as long again. A book takes a tenth. */
export const RENDER_TIMEOUT_MS = 3000;
/** Of its source: Markdown takes 4 KB of memory for a line of a paragraph. */
export const MAX_LINES = 20_000;
/** Places of its source that refer to a footnote. */
export const MAX_FOOTNOTE_REFERENCES = 5000;
/** Characters of its source that Markdown or HTML give a meaning. */
export const MAX_MARKUP_CHARACTERS = 200_000;
/** Of the HTML made of it, in bytes. */
export const MAX_HTML_BYTES = 3 * MEGABYTE;
/** How many times as large as what is written, alt texts counted once, and so many bytes more for short texts. */
export const MAX_HTML_GROWTH = { times: 20, plus: 64 * 1024 };
/** Pictures and films, those before the content too: each is looked up twice while the others wait. */
export const MAX_ATTACHMENTS = 1000;
/** Columns × rows of one table: Markdown fills up short rows. */
export const MAX_TABLE_CELLS = 20_000;
/** Of an attribute's value, in characters: an address, a title. */
export const MAX_ATTRIBUTE_LENGTH = 64 * 1024;

/** The largest HTML, in bytes, that may become of so many bytes of text. */
export function maxHtmlBytes(bytes: number): number {
  return Math.min(MAX_HTML_BYTES, MAX_HTML_GROWTH.times * bytes + MAX_HTML_GROWTH.plus);
}
