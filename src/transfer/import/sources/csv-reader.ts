import { LARGEST_TEXT, SourceFault } from "./source";

/** Of a row that is passed over, in characters. */
const LONGEST_PASSED_OVER = 4 * LARGEST_TEXT;
/** Each row has a cell for each, whatever it holds. */
const MOST_COLUMNS = 1000;

/** The file cannot be read any further; the message says why. */
export class CsvFault extends SourceFault {}

/**
 * The rows of a CSV file by the names in its first line (RFC 4180), each as soon as it has ended; one with fewer cells has
 * empty ones; null: it is longer than any post.
 * @throws CsvFault where it is beyond all measure, after all that came before
 */
export async function* csvRows(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Record<string, string> | null> {
  let names: string[] | undefined;
  for await (const text of rowTexts(bytes)) {
    const cells = text === null ? null : cellsOf(text);
    if (cells && !names && cells.length > MOST_COLUMNS)
      throw new CsvFault(`It has more than ${MOST_COLUMNS} columns.`);
    if (!names) names = (cells ?? []).map((name) => name.trim());
    else if (cells === null) yield null;
    else if (cells.length > 1 || cells[0] !== "")
      yield Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
  }
}

/** Where a reader is: before a cell, in one without quotes, in one with, or behind the quote that may end it. */
type Place = "before" | "bare" | "quoted" | "behind quote";

/** Without their ends; null: longer than any post. */
async function* rowTexts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string | null> {
  const decoder = new TextDecoder();
  let [held, place, length]: [string[], Place, number] = [[], "before", 0];
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true });
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const sign = text[at] as string;
      if (place === "quoted" ? sign !== '"' : sign !== "\n") place = placeAfter(place, sign);
      else if (place === "quoted") place = "behind quote";
      else {
        yield length > LARGEST_TEXT ? null : [...held, text.slice(from, at)].join("").replace(/\r$/, "");
        [held, place, length, from] = [[], "before", 0, at + 1];
      }
    }
    length += text.length - from;
    if (length > LONGEST_PASSED_OVER) throw new CsvFault("A row of it is longer than any post can be.");
    if (length > LARGEST_TEXT) held = [];
    else held.push(text.slice(from));
  }
  if (length > 0) yield length > LARGEST_TEXT ? null : held.join("");
}

function placeAfter(place: Place, sign: string): Place {
  if (place === "quoted") return place;
  if (sign === ",") return "before";
  if (sign === '"') return place === "bare" ? "bare" : "quoted";
  return "bare";
}

/** One more than there may be columns, at most. */
function cellsOf(row: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= row.length && cells.length <= MOST_COLUMNS; ) {
    const { cell, end } = row[at] === '"' ? quoted(row, at) : bare(row, at);
    cells.push(cell);
    at = end + 1;
  }
  return cells;
}

function quoted(text: string, start: number): { cell: string; end: number } {
  let cell = "";
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return { cell: cell + text.slice(from), end: text.length };
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') {
      // Whatever stands behind the quote up to the comma is no part of it.
      return { cell, end: bare(text, quote + 1).end };
    }
    cell += '"';
    from = quote + 2;
  }
}

function bare(text: string, start: number): { cell: string; end: number } {
  const comma = text.indexOf(",", start);
  const end = comma < 0 ? text.length : comma;
  return { cell: text.slice(start, end), end };
}
