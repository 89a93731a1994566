import { LARGEST_TEXT } from "./source";

type Row = Record<string, unknown>;

/** A wanted array begins, an object in it has been read, or one that cannot be; `beginning` is of its text. */
export type JsonFound =
  | { path: string; begins: true }
  | { path: string; row: Row }
  | { path: string; row: null; beginning: string; isTooLong: boolean };

/** The file cannot be read any further; the message says why. */
export class JsonFault extends Error {}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
/** In bytes; the names of what is asked for are some letters. */
const LONGEST_KEY = 10_000;
/** Of an object or a name that is passed over, in bytes. */
const LONGEST_PASSED_OVER = 4 * LARGEST_TEXT;
/** What is kept of one that cannot be read, for people to know it by. In bytes. */
const BEGINNING = 2000;
/** Of arrays and objects around what is asked for. */
const DEEPEST = 1000;

/** An array or object that is open, and held by nobody. */
interface Open {
  path: string;
  isArray: boolean;
  isWanted: boolean;
  /** Of the element or value that comes. */
  index: number;
  key: string;
  expectsKey: boolean;
}

/**
 * The objects in the arrays at these paths ("items", "db.0.data.posts"), each as soon as it has ended; of the rest nothing is
 * held. One that is longer than any post is passed over.
 * @throws JsonFault where it ends early, is none, or is beyond all measure, after all that came before
 */
export async function* jsonObjects(
  bytes: AsyncIterable<Uint8Array>,
  isWanted: (path: string) => boolean,
): AsyncGenerator<JsonFound> {
  const open: Open[] = [];
  let [isInString, isEscaped, isBegun] = [false, false, false];
  /** What is being held: an object of a wanted array, this deep in it, or a key. */
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
          if (open.push(opened) > DEEPEST) throw new JsonFault("It is nested too deep.");
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
    // Copied: what reads may use the same memory for the next piece.
    if (!isTooLong) held.push(Buffer.from(piece.subarray(from)));
    length += piece.length - from;
    if (length > LONGEST_PASSED_OVER)
      throw new JsonFault("It holds something that is longer than any post can be.");
    if (isTooLong || length <= (holding === "key" ? LONGEST_KEY : LARGEST_TEXT)) continue;
    isTooLong = true;
    held = [Buffer.concat(held).subarray(0, BEGINNING)];
  }
  if (!isBegun) throw new JsonFault("It is no JSON.");
  if (open.length > 0) throw new JsonFault("The file ends early: what came after is missing.");
}

function pathIn({ path, isArray, index, key }: Open): string {
  const name = isArray ? String(index) : key;
  return path === "" ? name : `${path}.${name}`;
}

/** What has been held; of one that is too long, its beginning. */
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

/** @param held begins with a brace */
function rowIn({ text, isTooLong }: Held) {
  try {
    if (!isTooLong) return { row: JSON.parse(text) as Row };
  } catch {
    // It is told of.
  }
  return { row: null, beginning: text.slice(0, BEGINNING), isTooLong };
}
