import { randomBytes } from "node:crypto";
import { Pace } from "../../next-turn";
import type { Answer } from "./answer";

/** In characters. Texts that are longer are written out apart, so many at once. */
const LONG = 64 * 1024;

/** What `jsonAnswer` makes, but a piece in a turn: to write out five megabytes, and to pack them up for sending, takes 60 ms. */
export async function largeJsonAnswer(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Blob>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const encoder = new TextEncoder();
  await writeJson(body, (piece) => pieces.push(encoder.encode(piece)));
  const contentType = "application/json; charset=utf-8";
  return {
    status,
    headers: new Headers({ "content-type": contentType, ...headers }),
    body: new Blob(pieces),
  };
}

/** What JSON.stringify gives for the value, or what means the same, in pieces, with others in between. */
export async function writeJson(value: unknown, write: (piece: string) => void): Promise<void> {
  const texts: string[] = [];
  // Nobody can have written it: it is made up now.
  const mark = `${randomBytes(9).toString("base64url")}:`;
  const cutOut = (_name: string, item: unknown) =>
    typeof item === "string" && item.length > LONG ? mark + (texts.push(item) - 1) : item;
  const [first = "", ...rest] = (JSON.stringify(value, cutOut) ?? "").split(mark);
  const pace = new Pace();
  write(first);
  for (const piece of rest) {
    const number = Number.parseInt(piece, 10);
    await writeText(texts[number] ?? "", write, pace);
    write(piece.slice(String(number).length));
  }
}

/** What stands between the quotes. A character that is cut in two is written as two escapes, which mean the same. */
async function writeText(text: string, write: (piece: string) => void, pace: Pace): Promise<void> {
  for (let at = 0; at < text.length; at += LONG) {
    write(JSON.stringify(text.slice(at, at + LONG)).slice(1, -1));
    await pace.after(LONG);
  }
}
