import { MAX_TEXT_BYTES, SourceError } from "./source";

const MAX_SKIPPED_LENGTH = 4 * MAX_TEXT_BYTES;
const MAX_COLUMNS = 1000;

/** The rest of the file cannot be read. The message contains the reason. */
export class CsvError extends SourceError {}

/**
 * Yields rows as objects with the header's names (RFC 4180), or null if a row is too long. Missing cells are empty.
 * @throws CsvError after all readable rows
 */
export async function* readCsvRows(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Record<string, string> | null> {
  let names: string[] | undefined;
  for await (const text of rowTexts(bytes)) {
    const cells = text === null ? null : cellsOf(text);
    if (cells && !names && cells.length > MAX_COLUMNS)
      throw new CsvError(`It has more than ${MAX_COLUMNS} columns.`);
    if (!names) names = (cells ?? []).map((name) => name.trim());
    else if (cells === null) yield null;
    else if (cells.length > 1 || cells[0] !== "")
      yield Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
  }
}

type Place = "before" | "bare" | "quoted" | "behind quote";

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
        yield length > MAX_TEXT_BYTES ? null : [...held, text.slice(from, at)].join("").replace(/\r$/, "");
        [held, place, length, from] = [[], "before", 0, at + 1];
      }
    }
    length += text.length - from;
    if (length > MAX_SKIPPED_LENGTH) throw new CsvError("A row of it is too long.");
    if (length > MAX_TEXT_BYTES) held = [];
    else held.push(text.slice(from));
  }
  if (length > 0) yield length > MAX_TEXT_BYTES ? null : held.join("");
}

function placeAfter(place: Place, sign: string): Place {
  if (place === "quoted") return place;
  if (sign === ",") return "before";
  if (sign === '"') return place === "bare" ? "bare" : "quoted";
  return "bare";
}

function cellsOf(row: string): string[] {
  const cells: string[] = [];
  for (let at = 0; at <= row.length && cells.length <= MAX_COLUMNS; ) {
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
      // Characters between the closing quote and the comma are ignored.
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
