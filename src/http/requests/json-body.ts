import { malformed, tooLarge } from "../../errors";
import { LARGEST, MOST } from "../../limits";
import { header } from "./headers";
import type { HeldBody } from "./held-bodies";

const QUOTE = 34;
const BACKSLASH = 92;

/** @throws Refusal (malformed) */
export function jsonIn(text: string): unknown {
  demandFewValues(text);
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("The body is not valid JSON.");
  }
}

/**
 * Counted before it is parsed: ten megabytes may be three million lists, or nest deeper than JSON.stringify can go,
 * which answers use. Looks at each character once.
 * @throws Refusal (malformed)
 */
function demandFewValues(text: string): void {
  let [values, strings, level, outside] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at++, outside++) {
    const sign = text[at];
    if (sign === '"') {
      strings++;
      at = endOfString(text, at);
    } else if (sign === "," || sign === "[" || sign === "{") values++;
    if (sign === "]" || sign === "}") level--;
    else if ((sign === "[" || sign === "{") && ++level > MOST.jsonLevels)
      throw malformed(`The body nests deeper than ${MOST.jsonLevels} levels.`);
    if (values > MOST.jsonValues || strings > 2 * MOST.jsonValues)
      throw malformed(`The body holds more than ${MOST.jsonValues} values: send less at once.`);
    if (outside > LARGEST.jsonSigns)
      throw malformed(`The body has more than ${sizeText(LARGEST.jsonSigns)} outside of its texts.`);
  }
}

/** Where the string ends that begins here; the text's end where it does not. Prose is passed over at once. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end < 0) return text.length;
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}

/** @param beginning as much as may be read without a key @throws Refusal: no more of the body is read */
type Admit = (beginning: string) => HeldBody;

/**
 * @param most in bytes
 * @param admit is asked, once, when more than LARGEST.beforeKey have come, with what stands in those: throws where no
 *   key does, and tells in whose memory the body is held
 * @throws Refusal (too large) as soon as the body is longer, whatever length it announced
 */
export async function readText(request: Request, most: number, admit: Admit | null = null): Promise<string> {
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
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    held?.release();
  }
}

function sizeText(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
}
