import { MEGABYTE } from "../../config/units";
import { invalid } from "../../errors";
import {
  MAX_ATTRIBUTE_LENGTH,
  MAX_FOOTNOTE_REFERENCES,
  MAX_HTML_BYTES,
  MAX_HTML_GROWTH,
  MAX_LINES,
  MAX_MARKUP_CHARACTERS,
  MAX_TABLE_CELLS,
} from "../post/post-limits";

/** Matches an attribute that is too long. Sanitized HTML has `"` in tags only. */
const OVERLONG_ATTRIBUTE = new RegExp(`="[^"]{${MAX_ATTRIBUTE_LENGTH + 1}}`);
const TABLE_TAG = /<(\/?)(table|tr|t[dh])\b/g;

const MARKUP = new Set([..."*_[]<&`~|\\!"].map((sign) => sign.charCodeAt(0)));
const LINE_BREAK = "\n".charCodeAt(0);
const BRACKET = "[".charCodeAt(0);
const CARET = "^".charCodeAt(0);

/**
 * Limits lines, markup characters and footnote references. The parser needs hundreds of bytes of memory for each.
 * @throws Refusal (invalid, content)
 */
export function assertSourceSize(source: string): void {
  let [lines, marks, footnotes] = [0, 0, 0];
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === LINE_BREAK) lines++;
    else if (MARKUP.has(code)) marks++;
    if (code === BRACKET && source.charCodeAt(at + 1) === CARET) footnotes++;
  }
  if (lines > MAX_LINES) throw invalid({ content: [`must have at most ${MAX_LINES} lines`] });
  if (marks > MAX_MARKUP_CHARACTERS)
    throw invalid({
      content: [`must have at most ${MAX_MARKUP_CHARACTERS} characters of markup`],
    });
  if (footnotes > MAX_FOOTNOTE_REFERENCES)
    throw invalid({ content: [`must refer to footnotes at most ${MAX_FOOTNOTE_REFERENCES} times`] });
}

/** Maximum size of the HTML in bytes. @param bytes size of the source */
export function maxHtmlBytes(bytes: number): number {
  return Math.min(MAX_HTML_BYTES, MAX_HTML_GROWTH.times * bytes + MAX_HTML_GROWTH.plus);
}

/** @param written size of the source in bytes @throws Refusal (invalid, content) */
export function assertHtmlSize(html: string, written: number): void {
  const bytes = Buffer.byteLength(html);
  if (bytes > MAX_HTML_BYTES)
    throw invalid({ content: [`must render to at most ${MAX_HTML_BYTES / MEGABYTE} MB of HTML`] });
  if (bytes > maxHtmlBytes(written))
    throw invalid({
      content: [`must render to at most ${MAX_HTML_GROWTH.times} times its size`],
    });
  if (OVERLONG_ATTRIBUTE.test(html))
    throw invalid({ content: [`must contain no attribute longer than ${MAX_ATTRIBUTE_LENGTH} characters`] });
  if (html.includes("<table")) assertSmallTables(html);
}

export const TABLE_TOO_LARGE = `must contain no table of more than ${MAX_TABLE_CELLS} cells (columns × rows)`;

/** @throws Refusal (invalid, content) */
function assertSmallTables(html: string): void {
  const open: { rows: number; columns: number; widest: number }[] = [];
  for (const [, slash, name] of html.matchAll(TABLE_TAG)) {
    const table = open.at(-1);
    if (slash) {
      if (name === "table") open.pop();
    } else if (name === "table") open.push({ rows: 0, columns: 0, widest: 0 });
    else if (table && name === "tr") {
      table.rows++;
      table.columns = 0;
    } else if (table) {
      table.widest = Math.max(table.widest, ++table.columns);
      if (table.widest * table.rows > MAX_TABLE_CELLS) throw invalid({ content: [TABLE_TOO_LARGE] });
    }
  }
}
