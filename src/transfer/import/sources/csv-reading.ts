/** The rows of a CSV text by the names in its first line (RFC 4180); one with fewer cells has empty ones. */
export function csvRows(text: string): Record<string, string>[] {
  const [names = [], ...rows] = cellsOf(text.replace(/^\uFEFF/, ""));
  return rows
    .filter((cells) => cells.length > 1 || cells[0] !== "")
    .map((cells) => Object.fromEntries(names.map((name, at) => [name.trim(), cells[at] ?? ""])));
}

function cellsOf(text: string): string[][] {
  const rows: string[][] = [[]];
  let at = 0;
  while (at < text.length) {
    const { cell, end } = text[at] === '"' ? quoted(text, at) : bare(text, at);
    rows.at(-1)?.push(cell);
    const next = text[end];
    if (next === "\r" || next === "\n") rows.push([]);
    at = end + (next === "\r" && text[end + 1] === "\n" ? 2 : 1);
  }
  return rows.filter((cells) => cells.length > 0);
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
  let end = start;
  while (end < text.length && text[end] !== "," && text[end] !== "\r" && text[end] !== "\n") end++;
  return { cell: text.slice(start, end), end };
}
