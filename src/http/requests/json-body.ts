import { MAX_BYTES, MAX_COUNTS, MAX_LENGTHS } from "../../config/request-limits";
import { invalid, malformed } from "../../errors";
import { freeBuffer } from "../../runtime/garbage-collection";
import { formatBytes } from "./request-body";

/** The signs of JSON, as bytes of UTF-8: those of other characters are none of them. */
const SIGN = { '"': 34, ",": 44, "[": 91, "\\": 92, "]": 93, "{": 123, "}": 125 } as const;

/**
 * The value of a JSON body.
 * @param body is given back: not to be used any more
 * @throws Refusal: malformed; invalid naming a field that is longer than any that is kept
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw malformed("The body is empty; it must be JSON.");
  try {
    demandModestShape(body);
    const value: unknown = JSON.parse(body.toString("utf8"));
    demandModestTexts(value);
    return value;
  } catch (fault) {
    throw fault instanceof SyntaxError ? notJson() : fault;
  } finally {
    freeBuffer(body);
  }
}

const notJson = () => malformed("The body is not valid JSON.");

/**
 * Counts values and levels before anything is parsed: ten megabytes may be three million lists, or nest deeper than
 * JSON.stringify can go. @throws Refusal (malformed)
 */
function demandModestShape(body: Buffer): void {
  let [values, strings, level, outside] = [0, 0, 0, 0];
  for (let at = 0; at < body.length; at++) {
    const sign = body[at];
    const opens = sign === SIGN["["] || sign === SIGN["{"];
    if (sign === SIGN['"']) {
      strings++;
      at = endOfString(body, at + 1);
    } else if (opens || sign === SIGN[","]) values++;
    if (sign === SIGN["]"] || sign === SIGN["}"]) level--;
    else if (opens && ++level > MAX_COUNTS.jsonLevels)
      throw malformed(`The body nests deeper than ${MAX_COUNTS.jsonLevels} levels.`);
    if (values > MAX_COUNTS.jsonValues || strings > 2 * MAX_COUNTS.jsonValues)
      throw malformed(`The body holds more than ${MAX_COUNTS.jsonValues} values: send less at once.`);
    if (++outside > MAX_BYTES.jsonSigns)
      throw malformed(`The body has more than ${formatBytes(MAX_BYTES.jsonSigns)} outside of its texts.`);
  }
}

/** Index of the quote that ends the string. */
function endOfString(body: Buffer, start: number): number {
  for (let end = body.indexOf(SIGN['"'], start); end >= 0; end = body.indexOf(SIGN['"'], end + 1)) {
    let escapes = 0;
    while (body[end - 1 - escapes] === SIGN["\\"]) escapes++;
    if (escapes % 2 === 0) return end;
  }
  throw notJson();
}

/** Every text of a post but its content is short. @throws Refusal (invalid) */
function demandModestTexts(value: unknown, name = "body"): void {
  if (name === "content") return;
  if (typeof value === "string" && value.length > MAX_BYTES.property) throw tooLong(name);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inside] of Object.entries(value)) {
    if (key.length > MAX_BYTES.property) throw tooLong(name);
    demandModestTexts(inside, Array.isArray(value) ? name : key);
  }
}

function tooLong(name: string) {
  const field = name.slice(0, MAX_LENGTHS.fieldName);
  return invalid({ [field]: [`must be at most ${formatBytes(MAX_BYTES.property)}`] });
}
