import { MEGABYTE } from "../../config/units";

export const MAX_TITLE_LENGTH = 500;
export const MAX_SUMMARY_LENGTH = 500;
export const MAX_CONTENT_BYTES = 1_000_000;
export const CONTENT_LIMIT = "at most 1 MB (1,000,000 bytes)";
export const MAX_TOPIC_NAME_LENGTH = 100;
/** For all posts on one page of a list together. */
export const MAX_PAGE_CONTENT_BYTES = 10_000_000;
export const MAX_TAGS = 100;
export const MAX_ALT_TEXTS = 1000;
export const MAX_ALT_TEXT_LENGTH = 10_000;

/** For rendering, and again for highlighting. */
export const RENDER_TIMEOUT_MS = 3000;
/** Rendering Markdown needs up to 4 KB of memory per line of a paragraph. */
export const MAX_LINES = 20_000;
export const MAX_FOOTNOTE_REFERENCES = 5000;
export const MAX_MARKUP_CHARACTERS = 200_000;
export const MAX_HTML_BYTES = 3 * MEGABYTE;
export const HTML_TOO_LARGE = `must render to at most ${MAX_HTML_BYTES / MEGABYTE} MB of HTML`;
export const MAX_ATTACHMENTS = 1000;
/** Per table. Markdown fills up short rows, so a short source can make a large table. */
export const MAX_TABLE_CELLS = 20_000;
