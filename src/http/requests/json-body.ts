import { invalid, malformed } from "../../errors";
import { free } from "../../garbage";
import { nextTurn, Pace } from "../../next-turn";
import { LARGEST, LONGEST, MOST } from "../../request-limits";
import { sizeText } from "./body-bytes";

/** The signs of JSON, as bytes of UTF-8: those of other characters are none of them. */
const SIGN = { '"': 34, ",": 44, "[": 91, "\\": 92, "]": 93, "{": 123, "}": 125 } as const;

/** In bytes. So many are gone through in one turn; a body that is longer is parsed in pieces. */
const AT_ONCE = 256 * 1024;
/** In bytes. Texts that are no longer are parsed where they stand. */
const SHORT = 64;
/** In bytes: what a text costs besides its length. */
const EACH = 256;
/** In bytes: a sign as `\u0041`, and as UTF-8. */
const LONGEST_ESCAPE = 6;
const LONGEST_CHARACTER = 4;

/** A text in a body: where it begins and ends, without its quotes. */
type Place = [start: number, end: number];

/**
 * What the body says.
 * @param body is given back: not to be used any more
 * @throws Refusal: malformed; invalid naming a field that is longer than any that is kept, before it is decoded
 */
export async function jsonIn(body: Buffer): Promise<unknown> {
  if (body.length === 0) throw malformed("The body is empty; it must be JSON.");
  try {
    const texts = await textsIn(body);
    return body.length <= AT_ONCE ? parsed(body.toString("utf8")) : await parsedInPieces(body, texts);
  } finally {
    free(body);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

const notJson = () => malformed("The body is not valid JSON.");

/**
 * Counted before it is parsed: ten megabytes may be three million lists, or nest deeper than JSON.stringify can go,
 * which answers use. Looks at each byte once.
 * @returns the texts that are not short
 * @throws Refusal (malformed)
 */
async function textsIn(body: Buffer): Promise<Place[]> {
  const texts: Place[] = [];
  let [values, strings, level, outside, start] = [0, 0, 0, 0, -1];
  for (let at = 0, pause = AT_ONCE; at < body.length; at++) {
    if (at >= pause) {
      await nextTurn();
      pause = at + AT_ONCE;
    }
    const sign = body[at];
    if (start >= 0) {
      if (sign === SIGN["\\"]) at++;
      if (sign !== SIGN['"']) continue;
      if (at - start > SHORT) texts.push([start, at]);
      start = -1;
      continue;
    }
    const opens = sign === SIGN["["] || sign === SIGN["{"];
    if (sign === SIGN['"']) {
      strings++;
      start = at + 1;
      // Prose without a quote is passed over at once.
      const end = body.indexOf(SIGN['"'], start);
      if (end < 0) throw notJson();
      if (body[end - 1] !== SIGN["\\"]) at = end - 1;
    } else if (opens || sign === SIGN[","]) values++;
    if (sign === SIGN["]"] || sign === SIGN["}"]) level--;
    else if (opens && ++level > MOST.jsonLevels)
      throw malformed(`The body nests deeper than ${MOST.jsonLevels} levels.`);
    if (values > MOST.jsonValues || strings > 2 * MOST.jsonValues)
      throw malformed(`The body holds more than ${MOST.jsonValues} values: send less at once.`);
    if (++outside > LARGEST.jsonSigns)
      throw malformed(`The body has more than ${sizeText(LARGEST.jsonSigns)} outside of its texts.`);
  }
  if (start >= 0) throw notJson();
  return texts;
}

/**
 * Ten megabytes take JSON.parse a tenth of a second: so what stands around the texts is parsed, with marks in their
 * places, and each text by itself, a piece in a turn.
 */
async function parsedInPieces(body: Buffer, texts: Place[]): Promise<unknown> {
  // Nobody can have sent it: it is made up now.
  const mark = crypto.randomUUID();
  const frame = parsed(await frameOf(body, texts, mark));
  demandModest(frame, (text) => lengthOf(texts[numberIn(text, mark)]));
  const pace = new Pace();
  const said: string[] = [];
  for (const place of texts) said.push(await textAt(body, place, pace));
  return filled(frame, (text) => said[numberIn(text, mark)] ?? text);
}

async function frameOf(body: Buffer, texts: Place[], mark: string): Promise<string> {
  const pace = new Pace();
  let [frame, from] = ["", 0];
  for (const [number, [start, end]] of texts.entries()) {
    frame += body.toString("utf8", from, start) + mark + number;
    await pace.after(EACH + start - from);
    from = end;
  }
  return frame + body.toString("utf8", from);
}

/** -1: it stands for no other text. */
function numberIn(text: string, mark: string): number {
  return text.startsWith(mark) ? Number(text.slice(mark.length)) : -1;
}

function lengthOf([start, end]: Place = [0, 0]): number {
  return end - start;
}

/**
 * All that a post keeps but its content is short.
 * @param lengthOfText in bytes, as sent
 * @throws Refusal (invalid, malformed)
 */
function demandModest(value: unknown, lengthOfText: (text: string) => number, name = "body"): void {
  if (name === "content") return;
  if (typeof value === "string" && lengthOfText(value) > LARGEST.property) throw tooLong(name);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inside] of Object.entries(value)) {
    if (lengthOfText(key) > LARGEST.property) throw tooLong(name);
    demandModest(inside, lengthOfText, Array.isArray(value) ? name : key);
  }
}

function tooLong(name: string) {
  const field = name.slice(0, LONGEST.fieldName);
  return invalid({ [field]: [`must be at most ${sizeText(LARGEST.property)} as it is sent`] });
}

async function textAt(body: Buffer, [start, end]: Place, pace: Pace): Promise<string> {
  let text = "";
  for (let at = start; at < end; ) {
    const next = end - at <= AT_ONCE ? end : cutNear(body, at, at + AT_ONCE);
    text += parsed(`"${body.toString("utf8", at, next)}"`);
    await pace.after(EACH + next - at);
    at = next;
  }
  return text;
}

/** Where a text that begins at `start` can be cut, at `end` or just before: not within a character, nor within an escape. */
function cutNear(body: Buffer, start: number, end: number): number {
  for (let at = end - 1; at > end - LONGEST_ESCAPE; at--)
    if (body[at] === SIGN["\\"]) return isEscaped(body, start, at) ? at + 1 : at;
  for (let cut = end; cut > end - LONGEST_CHARACTER; cut--) if (!isWithinCharacter(body[cut])) return cut;
  return end;
}

/** Is the sign there escaped by the one before it? */
function isEscaped(body: Buffer, start: number, at: number): boolean {
  let first = at;
  while (first > start && body[first - 1] === SIGN["\\"]) first--;
  return (at - first) % 2 === 1;
}

function isWithinCharacter(byte = 0): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

/** The value, with other texts where it has marks. */
function filled(value: unknown, textFor: (text: string) => string): unknown {
  if (typeof value === "string") return textFor(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => filled(item, textFor));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [textFor(key), filled(item, textFor)]),
  );
}
