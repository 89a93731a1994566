/**
 * Writes an answer to standard output, in full: the exit that follows would cut what a pipe has not taken yet.
 * A reader that has gone (`| head`) is no fault.
 */
export async function print(text: string): Promise<void> {
  try {
    await Bun.write(Bun.stdout, `${text}\n`);
  } catch (fault) {
    if (!(fault instanceof Error && "code" in fault && fault.code === "EPIPE")) throw fault;
  }
}

/** Tells how far it is, on a terminal only: one line, overwritten by the next and erased at the end. */
export function showProgress(doing: string): (done: number, all: number) => void {
  return (done, all) => {
    if (!process.stderr.isTTY) return;
    process.stderr.write(done === all ? "\r\x1b[K" : `\r${doing} file ${done + 1} of ${all}`);
  };
}

/** "2026-11-21 03:00 UTC" */
export function momentText(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** What `oneLine` keeps of a longer text, in characters. */
const LONGEST_CELL = 60;

type Row = Record<string, string | number | boolean | string[] | Date | null>;

/** A list for people, in aligned columns; as JSON, an array of objects with the same names. */
export async function printList(rows: Row[], columns: string[], asJson: boolean): Promise<void> {
  if (asJson) return await print(JSON.stringify(rows, null, 2));
  const lines = [
    columns.map((name) => name.replaceAll("_", " ")),
    ...rows.map((row) => columns.map((name) => cell(row[name]))),
  ];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] as string))),
  );
  await print(
    lines
      .map((line) =>
        line
          .map((text, column) => padded(text, widths[column] as number))
          .join("  ")
          .trimEnd(),
      )
      .join("\n"),
  );
}

/** A text for a cell of a list: one line, cut where it is long. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > LONGEST_CELL ? `${[...line].slice(0, LONGEST_CELL).join("")}…` : line;
}

function cell(value: Row[string] | undefined): string {
  if (value === null || value === undefined || value === "") return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace("T", " ");
  return Array.isArray(value) ? value.join(",") || "-" : String(value);
}

function padded(text: string, width: number): string {
  return text + " ".repeat(width - Bun.stringWidth(text));
}
