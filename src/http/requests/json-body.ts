import { malformed, tooLarge } from "../../errors";
import { LARGEST, MOST } from "../../limits";
import { nextTurn } from "../../next-turn";
import { header } from "./headers";
import type { HeldBody } from "./held-bodies";

/** The signs of JSON, as bytes of UTF-8: those of other characters are none of them. */
const SIGN = { '"': 34, ",": 44, "[": 91, "\\": 92, "]": 93, "{": 123, "}": 125 } as const;

/** In bytes. What is longer is counted and parsed in turns of their own. */
const LARGE = 1024 * 1024;

/** @throws Refusal (malformed) */
export async function jsonIn(body: Buffer): Promise<unknown> {
  demandFewValues(body);
  if (body.length > LARGE) await nextTurn();
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw malformed("The body is not valid JSON.");
  }
}

/**
 * Counted before it is parsed: ten megabytes may be three million lists, or nest deeper than JSON.stringify can go,
 * which answers use. Looks at each byte once.
 * @throws Refusal (malformed)
 */
function demandFewValues(body: Buffer): void {
  let [values, strings, level, outside] = [0, 0, 0, 0];
  for (let at = 0; at < body.length; at++, outside++) {
    const sign = body[at];
    const opens = sign === SIGN["["] || sign === SIGN["{"];
    if (sign === SIGN['"']) {
      strings++;
      at = endOfString(body, at);
    } else if (opens || sign === SIGN[","]) values++;
    if (sign === SIGN["]"] || sign === SIGN["}"]) level--;
    else if (opens && ++level > MOST.jsonLevels)
      throw malformed(`The body nests deeper than ${MOST.jsonLevels} levels.`);
    if (values > MOST.jsonValues || strings > 2 * MOST.jsonValues)
      throw malformed(`The body holds more than ${MOST.jsonValues} values: send less at once.`);
    if (outside > LARGEST.jsonSigns)
      throw malformed(`The body has more than ${sizeText(LARGEST.jsonSigns)} outside of its texts.`);
  }
}

/** Where the string ends that begins here; the body's end where it does not. Prose is passed over at once. */
function endOfString(body: Buffer, start: number): number {
  const end = body.indexOf(SIGN['"'], start + 1);
  if (end < 0) return body.length;
  if (body[end - 1] !== SIGN["\\"]) return end;
  for (let at = start + 1; at < body.length; at++) {
    const sign = body[at];
    if (sign === SIGN['"']) return at;
    if (sign === SIGN["\\"]) at++;
  }
  return body.length;
}

/** @param beginning as much as may be read without a key @throws Refusal: no more of the body is read */
type Admit = (beginning: string) => HeldBody;

/** As UTF-8. @param most in bytes @throws Refusal: too large, malformed */
export async function readText(request: Request, most: number): Promise<string> {
  return (await readBytes(request, most)).toString("utf8");
}

/**
 * @param most in bytes
 * @param admit is asked, once, when more than LARGEST.beforeKey have come, with what stands in those: throws where no
 *   key does, and tells in whose memory the body is held
 * @throws Refusal (too large) as soon as the body is longer, whatever length it announced
 * @returns bytes of its own
 */
export async function readBytes(request: Request, most: number, admit: Admit | null = null): Promise<Buffer> {
  const packed = header(request, "content-encoding") ?? "identity";
  if (packed !== "identity")
    throw malformed(`The body comes in ${packed}; send it without Content-Encoding.`);
  const refusal = () => tooLarge(`The body is larger than ${sizeText(most)}.`);
  if (Number(header(request, "content-length") ?? 0) > most) throw refusal();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let held: HeldBody | undefined;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.byteLength;
      if (length > most) throw refusal();
      chunks.push(chunk);
      if (length > LARGEST.beforeKey)
        held ??= admit?.(Buffer.concat(chunks, LARGEST.beforeKey).toString("utf8"));
      held?.grow(chunk.byteLength);
    }
    return Buffer.concat(chunks);
  } finally {
    held?.release();
  }
}

function sizeText(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
}
