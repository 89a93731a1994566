import { isUtf8 } from "node:buffer";
import { MEGABYTE } from "../../../config/units";

/**
 * What is imported from, whatever it lies in: files by their paths, "/" between, in NFC: macOS writes "ü" as two characters
 * and texts name it as one. Nothing is held that is not asked for.
 */
export interface Source {
  /** The name of the file or folder, as it was typed last. */
  readonly name: string;
  /** All of them, in order. */
  readonly paths: readonly string[];
  has(path: string): boolean;
  /** In bytes, as it is declared. */
  size(path: string): number;
  /** @throws SourceFault where it breaks off, is longer than declared, or is not what it was when it was packed */
  bytes(path: string): AsyncIterable<Uint8Array>;
  close(): void;
}

/** The source, or a file of it, cannot be used; the message is one sentence. */
export class SourceFault extends Error {}

/** Files and folders that are looked at, in one source. */
export const MOST_FILES = 500_000;
/** A text that is read whole: a post, a front matter. In bytes. */
export const LARGEST_TEXT = 64 * MEGABYTE;

/** The whole text of a file, without a byte order mark, in whatever it was saved as on Windows. @throws SourceFault */
export async function textIn(source: Source, path: string, most = LARGEST_TEXT): Promise<string> {
  if (source.size(path) > most) throw new SourceFault(`${path} is too large to be read as one text.`);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source.bytes(path)) {
    length += piece.length;
    if (length > most) throw new SourceFault(`${path} is too large to be read as one text.`);
    pieces.push(piece);
  }
  return decoded(Buffer.concat(pieces)).replace(/^\uFEFF/, "");
}

/** UTF-8, unless it is broken and none of its letters beyond ASCII is one there. */
function decoded(bytes: Uint8Array): string {
  const wide = wideEncodingOf(bytes);
  const text = new TextDecoder(wide ?? "utf-8", { ignoreBOM: true }).decode(bytes);
  const isRead = wide !== null || isUtf8(bytes) || /[\u0080-\uFFFC]/.test(text);
  return isRead ? text : new TextDecoder("windows-1252").decode(bytes);
}

/** The first bytes of a file, as Latin letters: what tells a format. */
export async function beginningOf(source: Source, path: string, length = 4096): Promise<string> {
  let text = "";
  let decoder: TextDecoder | undefined;
  for await (const piece of source.bytes(path)) {
    decoder ??= new TextDecoder(wideEncodingOf(piece) ?? "utf-8");
    text += decoder.decode(piece, { stream: true });
    if (text.length >= length) break;
  }
  return text.slice(0, length).replace(/^\uFEFF/, "");
}

/**
 * Where each letter takes two bytes, as Windows saves what it calls Unicode: a byte order mark says so, or a first letter
 * of ASCII, half of which is nothing then.
 */
export function wideEncodingOf([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if ((first === 0xff && second === 0xfe) || (first && second === 0)) return "utf-16le";
  return (first === 0xfe && second === 0xff) || (first === 0 && second) ? "utf-16be" : null;
}

/** The end of a name, in small letters, without the dot: "a/B.TAR.GZ" → "gz". */
export function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : "";
}

/** "a/b/c.md" → "a/b"; "" at the top. */
export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

/** How far the reading of a source is, in bytes. */
export interface Work {
  done: number;
  total: number;
}

/** The same source, which counts what is read of it. @param texts its files, each as often as it is read */
export function countedSource(
  source: Source,
  texts: readonly string[],
  onRead: (work: Work) => void,
): { source: Source; work: Work } {
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
