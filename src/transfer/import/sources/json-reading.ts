import { LARGEST_TEXT } from "./source";

type Row = Record<string, unknown>;

/** A wanted array begins, or an object in it has been read; null: it is none that can be read. */
export type JsonFound = { path: string; begins: true } | { path: string; row: Row | null };

/** The file cannot be read any further; the message says why. */
export class JsonFault extends Error {}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
/** In bytes; the names of what is asked for are some letters. */
const LONGEST_KEY = 10_000;
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
 * held.
 * @throws JsonFault where it ends early, or is none, after all that came before
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
  for await (const bytesOfPiece of bytes) {
    const piece = Buffer.from(bytesOfPiece.buffer, bytesOfPiece.byteOffset, bytesOfPiece.length);
    let from = 0;
    const taken = (end: number) => {
      const text = Buffer.concat([...held, piece.subarray(from, end)]).toString("utf8");
      [held, length, holding] = [[], 0, null];
      return text;
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
        else if (--depth === 0) yield { path: (around as Open).path, row: rowIn(taken(at + 1)) };
      } else if (byte === COMMA && holding === null && around) {
        if (around.isArray) around.index++;
        else around.expectsKey = true;
      }
    }
    if (holding === null) continue;
    // Copied: what reads may use the same memory for the next piece.
    held.push(Buffer.from(piece.subarray(from)));
    length += piece.length - from;
    if (length > (holding === "key" ? LONGEST_KEY : LARGEST_TEXT))
      throw new JsonFault("It holds something that is longer than any post can be.");
  }
  if (!isBegun) throw new JsonFault("It is no JSON.");
  if (open.length > 0) throw new JsonFault("The file ends early: what came after is missing.");
}

function pathIn({ path, isArray, index, key }: Open): string {
  const name = isArray ? String(index) : key;
  return path === "" ? name : `${path}.${name}`;
}

function keyIn(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return "";
  }
}

/** @param text begins with a brace */
function rowIn(text: string): Row | null {
  try {
    return JSON.parse(text) as Row;
  } catch {
    return null;
  }
}
