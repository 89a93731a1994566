import { isUtf8 } from "node:buffer";
import { MEGABYTE } from "../../../config/units";

/** Files to import from a folder, an archive or a single file. Paths use "/" and Unicode NFC (macOS uses NFD). */
export interface Source {
  readonly name: string;
  readonly paths: readonly string[];
  has(path: string): boolean;
  /** The file's declared size in bytes. */
  size(path: string): number;
  /** @throws SourceError if the file is truncated, longer than declared, or has a wrong checksum */
  bytes(path: string): AsyncIterable<Uint8Array>;
  close(): void;
}

/** The source or one of its files cannot be read. The message is one sentence. */
export class SourceError extends Error {}

export const MAX_FILES = 500_000;
/** Maximum size of a text that is read into memory. */
export const MAX_TEXT_BYTES = 64 * MEGABYTE;

/** Reads a text without its byte order mark. Detects UTF-16 and Windows-1252. @throws SourceError */
export async function readText(source: Source, path: string, most = MAX_TEXT_BYTES): Promise<string> {
  if (source.size(path) > most) throw new SourceError(`${path} is too large.`);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source.bytes(path)) {
    length += piece.length;
    if (length > most) throw new SourceError(`${path} is too large.`);
    pieces.push(piece);
  }
  return decodeText(Buffer.concat(pieces)).replace(/^\uFEFF/, "");
}

/** Treats invalid UTF-8 without valid non-ASCII letters as Windows-1252. */
function decodeText(bytes: Uint8Array): string {
  const wide = utf16Encoding(bytes);
  const text = new TextDecoder(wide ?? "utf-8", { ignoreBOM: true }).decode(bytes);
  const isRead = wide !== null || isUtf8(bytes) || /[\u0080-\uFFFC]/.test(text);
  return isRead ? text : new TextDecoder("windows-1252").decode(bytes);
}

/** Reads the first characters of a file, to detect its format. */
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

/** Returns "gz" for "a/B.TAR.GZ". */
export function fileExtension(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
}

/** Returns "a/b" for "a/b/c.md", and "" for a path without a folder. */
export function parentFolder(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

export interface ReadProgress {
  done: number;
  total: number;
}

/**
 * Wraps a source to report the number of bytes read.
 * @param texts paths of the files to read, repeated for each pass
 */
export function trackReads(
  source: Source,
  texts: readonly string[],
  onRead: (work: ReadProgress) => void,
): { source: Source; work: ReadProgress } {
  const left = new Map<string, number>();
  for (const path of texts) left.set(path, (left.get(path) ?? 0) + source.size(path));
  const work = { done: 0, total: left.values().reduce((sum, size) => sum + size, 0) };
  return {
    work,
    source: {
      ...source,
      async *bytes(path) {
        for await (const piece of source.bytes(path)) {
          const here = left.get(path) ?? 0;
          const read = Math.min(here, piece.length);
          left.set(path, here - read);
          work.done += read;
          if (read > 0) onRead(work);
          yield piece;
        }
      },
    },
  };
}
