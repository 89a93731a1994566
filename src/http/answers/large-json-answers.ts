import { free } from "../../garbage";
import { Pace } from "../../next-turn";
import { type Answer, type Bytes, JSON_TYPE, joinedInTurns } from "./answer";

/** In characters. Texts that are longer are written out apart, so many at once. */
const LONG = 64 * 1024;

/** What is not written out as JSON yet, and perhaps not read. */
export class Unwritten {
  constructor(readonly value: () => unknown | Promise<unknown>) {}
}

/**
 * What `jsonAnswer` makes, but in turns where a text in it is long: to write out five megabytes, and to pack them up for
 * sending, takes 60 ms.
 */
export function largeJsonAnswer(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Answer<string> | Promise<Answer<Bytes>> {
  const { pieces, texts } = apart(body);
  if (texts.length > 0) return answerInTurns(status, [new Unwritten(() => body)], headers);
  return { status, headers: new Headers({ ...JSON_TYPE, ...headers }), body: pieces.join("") };
}

/**
 * Takes four times its length until it is made: who may ask for many of them waits for a turn (`inTurn`).
 * @param pieces of JSON, in their order
 */
export async function answerInTurns(
  status: number,
  pieces: (string | Buffer | Unwritten)[],
  headers: Record<string, string> = {},
): Promise<Answer<Bytes>> {
  const body = await bodyOf(pieces);
  return { status, headers: new Headers({ ...JSON_TYPE, ...headers }), body };
}

async function bodyOf(pieces: (string | Buffer | Unwritten)[]): Promise<Bytes> {
  const written: Buffer[] = [];
  const own: Buffer[] = [];
  const write = (text: string) => void written.push(own[own.push(Buffer.from(text)) - 1] as Buffer);
  for (const piece of pieces)
    if (piece instanceof Unwritten) await writeJson(await piece.value(), write);
    else written.push(typeof piece === "string" ? Buffer.from(piece) : piece);
  const body = await joinedInTurns(written);
  own.forEach(free);
  return body;
}

/** @param before what comes before the value's JSON @returns SHA-256 in hex digits, of both */
export async function hashOfJson(value: unknown, before = ""): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256").update(before);
  await writeJson(value, (piece) => void hash.update(piece));
  return hash.digest("hex");
}

/** What JSON.stringify gives for the value, or what means the same, in pieces, with others in between. */
async function writeJson(value: unknown, write: (piece: string) => void): Promise<void> {
  const {
    pieces: [first = "", ...rest],
    texts,
  } = apart(value);
  const pace = new Pace();
  write(first);
  for (const piece of rest) {
    const number = Number.parseInt(piece, 10);
    await writeText(texts[number] ?? "", write, pace);
    write(piece.slice(String(number).length));
  }
}

/** The value's JSON without its long texts; a piece that follows one begins with the text's number. */
function apart(value: unknown): { pieces: string[]; texts: string[] } {
  const texts: string[] = [];
  // Nobody can have written it: it is made up now.
  const mark = `${crypto.randomUUID()}:`;
  const cutOut = (_name: string, item: unknown) =>
    typeof item === "string" && item.length > LONG ? mark + (texts.push(item) - 1) : item;
  return { pieces: (JSON.stringify(value, cutOut) ?? "").split(mark), texts };
}

/** What stands between the quotes. A character that is cut in two is written as two escapes, which mean the same. */
async function writeText(text: string, write: (piece: string) => void, pace: Pace): Promise<void> {
  for (let at = 0; at < text.length; at += LONG) {
    write(JSON.stringify(text.slice(at, at + LONG)).slice(1, -1));
    await pace.after(LONG);
  }
}
