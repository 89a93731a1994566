import { isUtf8 } from "node:buffer";
import { MEGABYTE } from "../../../config/units";
import { parseJson } from "../../../text/json";

/** Files to import from a folder, an archive or a single file. Paths use "/" and Unicode NFC (macOS uses NFD). */
export interface Source extends Disposable {
  readonly name: string;
  readonly paths: readonly string[];
  has(path: string): boolean;
  size(path: string): number;
  /** @throws SourceError if the file is missing, encrypted or damaged */
  bytes(path: string): AsyncIterable<Uint8Array>;
}

export interface SourceFile {
  readonly size: number;
  bytes(): AsyncIterable<Uint8Array>;
}

export function createSource(name: string, files: Map<string, SourceFile>, close = () => {}): Source {
  const fileAt = (path: string) => files.get(path.normalize("NFC"));
  return {
    ...{ name, [Symbol.dispose]: close, paths: [...files.keys()].sort() },
    has: (path) => fileAt(path) !== undefined,
    size: (path) => fileAt(path)?.size ?? 0,
    async *bytes(path) {
      const file = fileAt(path);
      if (file === undefined) throw new SourceError(`${path} does not exist in ${name}.`);
      yield* file.bytes();
    },
  };
}

export class SourceError extends Error {}

export const MAX_FILES = 500_000;

/** True for hidden files, except the configuration of Eleventy, and for files that no blog contains. */
export function isIgnored(path: string): boolean {
  return /(?:^|\/)(?:\.(?!eleventy\.[cm]?[jt]s$)|(?:node_modules|__MACOSX)(?:\/|$))/.test(path);
}

export const MAX_TEXT_BYTES = 64 * MEGABYTE;
/** Parsing a JSON or CSV file takes several times as much memory. */
const MAX_EXPORT_BYTES = 256 * MEGABYTE;

/** Reads a text without its byte order mark. Detects UTF-16 and Windows-1252. @throws SourceError */
export async function readText(source: Source, path: string, maxBytes = MAX_TEXT_BYTES): Promise<string> {
  if (source.size(path) > maxBytes)
    throw new SourceError(`${path} is larger than ${Math.floor(maxBytes / MEGABYTE)} MB.`);
  const pieces = await Array.fromAsync(source.bytes(path));
  return decodeText(Buffer.concat(pieces)).replace(/^\uFEFF/, "");
}

/** Invalid UTF-8 is decoded as Windows-1252, unless the text also has valid multi-byte characters. */
function decodeText(bytes: Uint8Array): string {
  const wide = utf16Encoding(bytes);
  const text = new TextDecoder(wide ?? "utf-8", { ignoreBOM: true }).decode(bytes);
  const isRead = wide !== null || isUtf8(bytes) || /[\u0080-\uFFFC]/.test(text);
  return isRead ? text : new TextDecoder("windows-1252").decode(bytes);
}

export async function readBeginning(source: Source, path: string, length = 4096): Promise<string> {
  let text = "";
  let decoder: TextDecoder | undefined;
  for await (const piece of source.bytes(path)) {
    decoder ??= new TextDecoder(utf16Encoding(piece) ?? "utf-8");
    text += decoder.decode(piece, { stream: true });
    if (text.length >= length) break;
  }
  return text.slice(0, length).replace(/^\uFEFF/, "");
}

/** Detects UTF-16 by its byte order mark or by a zero byte in the first letter. */
export function utf16Encoding([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if ((first === 0xff && second === 0xfe) || (first && second === 0)) return "utf-16le";
  return (first === 0xfe && second === 0xff) || (first === 0 && second) ? "utf-16be" : null;
}

type Matches = (beginning: string, path: string) => boolean;

export async function findFiles(source: Source, extension: RegExp, matches: Matches, length?: number) {
  const found: string[] = [];
  for (const path of source.paths)
    if (extension.test(fileExtension(path)) && matches(await readBeginning(source, path, length), path))
      found.push(path);
  return found;
}

/** @throws SourceError if the file is too large or invalid, perhaps truncated */
export async function readJson(source: Source, path: string): Promise<unknown> {
  const value = parseJson(await readText(source, path, MAX_EXPORT_BYTES));
  if (value === null)
    throw new SourceError(`${path} is not valid JSON. It may be truncated: export it again.`);
  return value;
}

/** If a row is too short, its record lacks the last columns. @throws SourceError */
export async function readCsv(source: Source, path: string): Promise<Record<string, string>[]> {
  const text = await readText(source, path, MAX_EXPORT_BYTES);
  const { parse } = await import("csv-parse/sync");
  try {
    return parse(text, {
      columns: (names: string[]) => names.map((name) => name.trim()),
      ...{ relax_quotes: true, relax_column_count: true, skip_empty_lines: true },
    });
  } catch (error) {
    throw new SourceError(`${path} is not a valid CSV file: ${(error as Error).message}.`);
  }
}

export function fileExtension(path: string): string {
  return /\.([^./]*)$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

export function parentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
