import { errorCode, invalid } from "../../errors";

const CONTROL = /(?![\t\n])\p{Cc}/gu;

/** Control characters in texts by strangers could change the terminal, such as its title (ECMA-48). */
export function removeControls(text: string): string {
  return text.replace(CONTROL, "");
}

/** Waits until the text is written, because `process.exit` drops output that is still pending in a pipe. */
export async function print(text: string): Promise<void> {
  try {
    await Bun.write(Bun.stdout, `${removeControls(text)}\n`);
  } catch (error) {
    // The reader has closed the pipe, as `| head` does.
    if (errorCode(error) !== "EPIPE") throw error;
  }
}

export function showStatus(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

export function showFileProgress(action: string): (done: number, total: number) => void {
  return (done, total) => showStatus(done === total ? "" : `${action} file ${done + 1} of ${total}`);
}

const PROGRESS_INTERVAL_MS = 500;

/**
 * @returns a function that prints JSON Lines to standard error: at most two per second, and always the last
 * one
 */
export function createProgressPrinter(): (progress: object, isLast?: boolean) => void {
  let printedAt = Number.NEGATIVE_INFINITY;
  return (progress, isLast = false) => {
    if (!isLast && performance.now() - printedAt < PROGRESS_INTERVAL_MS) return;
    printedAt = performance.now();
    console.error(JSON.stringify(progress));
  };
}

export function formatMoment(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const MAX_CELL_LENGTH = 60;

export type Row = Record<string, unknown>;

/** @returns a row of the named properties, with their names in snake_case */
export function toRow<Name extends string>(record: { [N in Name]?: unknown }, names: Name[]): Row {
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(names.map((name) => [snakeCase(name), record[name]]));
}

/** JSON contains all columns; the table contains only `columns`. */
export function formatList(rows: Row[], columns: string[], asJson: boolean): string {
  if (asJson) return JSON.stringify(rows, null, 2);
  const header = columns.map((name) => name.replaceAll("_", " "));
  return alignColumns([header, ...rows.map((row) => columns.map((name) => formatCell(row[name])))]);
}

export function alignColumns(lines: string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] as string))),
  );
  const pad = (text: string, column: number) =>
    text + " ".repeat((widths[column] as number) - Bun.stringWidth(text));
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
}

export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_CELL_LENGTH ? `${[...line].slice(0, MAX_CELL_LENGTH).join("")}…` : line;
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace("T", " ");
  return Array.isArray(value) ? value.join(",") || "-" : String(value);
}

/**
 * @returns the password, not validated
 * @throws Refusal (invalid) if it is missing, or if the person types two different passwords
 */
export async function readPassword(): Promise<string> {
  const { isTTY } = process.stdin;
  const password = isTTY ? await askWithoutEcho("Password: ") : await readFirstLine();
  if (password === "")
    throw invalid({ password: [isTTY ? "must not be empty" : "is missing on standard input"] });
  if (isTTY && (await askWithoutEcho("Password again: ")) !== password)
    throw invalid({ password: ["does not match the first one"] });
  return password;
}

export async function readFirstLine(): Promise<string> {
  return (await Bun.stdin.text()).split(/\r?\n/)[0] ?? "";
}

/** @returns the typed line; "" if the input ends with Ctrl+D */
async function askWithoutEcho(prompt: string): Promise<string> {
  // Loaded on demand, because each command loads this file.
  const { createInterface } = await import("node:readline/promises");
  const { Writable } = await import("node:stream");
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(prompt);
  // In raw mode Ctrl+C sends no signal.
  terminal.once("SIGINT", () => {
    terminal.close();
    process.stderr.write("\n");
    process.exit(130);
  });
  const ended = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  const typed = await Promise.race([terminal.question(""), ended]);
  terminal.close();
  process.stderr.write("\n");
  return typed;
}
