import { MAX_TEXT_BYTES } from "./source";

type Row = Record<string, unknown>;

/** Start of a requested array, an object in it, or an invalid object with its first characters. */
export type JsonEntry =
  | { path: string; begins: true }
  | { path: string; row: Row }
  | { path: string; row: null; beginning: string; isTooLong: boolean };

/** The rest of the file cannot be read. The message contains the reason. */
export class JsonError extends Error {}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const MAX_KEY_LENGTH = 10_000;
const MAX_SKIPPED_LENGTH = 4 * MAX_TEXT_BYTES;
/** Number of characters kept from an invalid object, to identify it. */
const BEGINNING_LENGTH = 2000;
const MAX_DEPTH = 1000;

/** An open array or object outside the requested objects. */
interface Open {
  path: string;
  isArray: boolean;
  isWanted: boolean;
  index: number;
  key: string;
  expectsKey: boolean;
}

/**
 * Yields the objects in the requested arrays, such as "db.0.data.posts". Does not keep the rest in memory.
 * @throws JsonError after all readable objects, if the file is truncated, invalid or too large
 */
export async function* readJsonObjects(
  bytes: AsyncIterable<Uint8Array>,
  isWanted: (path: string) => boolean,
): AsyncGenerator<JsonEntry> {
  const open: Open[] = [];
  let [isInString, isEscaped, isBegun] = [false, false, false];
  let holding: "object" | "key" | null = null;
  let depth = 0;
  let held: Buffer[] = [];
  let length = 0;
  let isTooLong = false;
  for await (const bytesOfPiece of bytes) {
    const piece = Buffer.from(bytesOfPiece.buffer, bytesOfPiece.byteOffset, bytesOfPiece.length);
    let from = 0;
    const taken = (end: number) => {
      if (!isTooLong) held.push(piece.subarray(from, end));
      const text = Buffer.concat(held).toString("utf8");
      const given = { text, isTooLong };
      [held, length, holding, isTooLong] = [[], 0, null, false];
      return given;
    };
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) {
          isInString = false;
          if (holding === "key")
            Object.assign(open.at(-1) as Open, { key: keyIn(taken(at + 1)), expectsKey: false });
        }
        continue;
      }
      const around = open.at(-1);
      if (byte === QUOTE) {
        isInString = true;
        if (holding === null && around?.expectsKey) [holding, from] = ["key", at];
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        isBegun = true;
        if (holding === "object") depth++;
        else if (around?.isWanted && byte === OPEN_OBJECT) [holding, from, depth] = ["object", at, 1];
        else {
          const path = around ? pathIn(around) : "";
          const isArray = byte === OPEN_ARRAY;
          const opened = {
            path,
            isArray,
            isWanted: isArray && isWanted(path),
            index: 0,
            key: "",
            expectsKey: !isArray,
          };
          if (open.push(opened) > MAX_DEPTH) throw new JsonError("It is nested too deeply.");
          if (opened.isWanted) yield { path, begins: true };
        }
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (holding !== "object") open.pop();
        else if (--depth === 0) yield { path: (around as Open).path, ...rowIn(taken(at + 1)) };
      } else if (byte === COMMA && holding === null && around) {
        if (around.isArray) around.index++;
        else around.expectsKey = true;
      }
    }
    if (holding === null) continue;
    // Copies the piece, because the stream may reuse the chunk's memory.
    if (!isTooLong) held.push(Buffer.from(piece.subarray(from)));
    length += piece.length - from;
    if (length > MAX_SKIPPED_LENGTH) throw new JsonError("It contains a text that is too long.");
    if (isTooLong || length <= (holding === "key" ? MAX_KEY_LENGTH : MAX_TEXT_BYTES)) continue;
    isTooLong = true;
    held = [Buffer.concat(held).subarray(0, BEGINNING_LENGTH)];
  }
  if (!isBegun) throw new JsonError("It is not valid JSON.");
  if (open.length > 0) throw new JsonError("The file is truncated.");
}

function pathIn({ path, isArray, index, key }: Open): string {
  const name = isArray ? String(index) : key;
  return path === "" ? name : `${path}.${name}`;
}

interface Held {
  text: string;
  isTooLong: boolean;
}

function keyIn({ text, isTooLong }: Held): string {
  try {
    return isTooLong ? "" : String(JSON.parse(text));
  } catch {
    return "";
  }
}

function rowIn({ text, isTooLong }: Held) {
  try {
    if (!isTooLong) return { row: JSON.parse(text) as Row };
  } catch {
    // The caller reports it.
  }
  return { row: null, beginning: text.slice(0, BEGINNING_LENGTH), isTooLong };
}
