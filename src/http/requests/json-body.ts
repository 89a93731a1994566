import { MAX_BYTES, MAX_COUNTS, MAX_LENGTHS } from "../../config/request-limits";
import { invalid, malformed } from "../../errors";
import { freeBuffer } from "../../runtime/garbage-collection";
import { formatBytes } from "./request-body";

/** As bytes of UTF-8; no other character contains these bytes. */
const JSON_BYTE = { '"': 34, ",": 44, "[": 91, "\\": 92, "]": 93, "{": 123, "}": 125 } as const;

/**
 * @param body freed: must not be used afterwards
 * @throws Refusal: malformed; invalid naming a field that is too long
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw malformed("The request body is empty. Send JSON.");
  try {
    assertShape(body);
    const value: unknown = JSON.parse(body.toString("utf8"));
    assertStringLengths(value);
    return value;
  } catch (error) {
    throw error instanceof SyntaxError ? notJson() : error;
  } finally {
    freeBuffer(body);
  }
}

const notJson = () => malformed("The request body is not valid JSON.");

/** Counts values and levels before parsing: 10 MB may be three million lists. @throws Refusal (malformed) */
function assertShape(body: Buffer): void {
  let [values, strings, level, outside] = [0, 0, 0, 0];
  for (let at = 0; at < body.length; at++) {
    const sign = body[at];
    const opens = sign === JSON_BYTE["["] || sign === JSON_BYTE["{"];
    if (sign === JSON_BYTE['"']) {
      strings++;
      at = endOfString(body, at + 1);
    } else if (opens || sign === JSON_BYTE[","]) values++;
    if (sign === JSON_BYTE["]"] || sign === JSON_BYTE["}"]) level--;
    else if (opens && ++level > MAX_COUNTS.jsonLevels)
      throw malformed(`The request body must be nested at most ${MAX_COUNTS.jsonLevels} levels deep.`);
    if (values > MAX_COUNTS.jsonValues || strings > 2 * MAX_COUNTS.jsonValues)
      throw malformed(`The request body must contain at most ${MAX_COUNTS.jsonValues} values.`);
    if (++outside > MAX_BYTES.jsonSigns)
      throw malformed(
        `The request body must contain at most ${formatBytes(MAX_BYTES.jsonSigns)} outside of strings.`,
      );
  }
}

/** @returns index of the closing quote */
function endOfString(body: Buffer, start: number): number {
  for (let end = body.indexOf(JSON_BYTE['"'], start); end >= 0; end = body.indexOf(JSON_BYTE['"'], end + 1)) {
    let escapes = 0;
    while (body[end - 1 - escapes] === JSON_BYTE["\\"]) escapes++;
    if (escapes % 2 === 0) return end;
  }
  throw notJson();
}

/** All strings except `content` must be short. @throws Refusal (invalid) */
function assertStringLengths(value: unknown, name = "body"): void {
  if (name === "content") return;
  if (typeof value === "string" && value.length > MAX_BYTES.property) throw propertyTooLong(name);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inside] of Object.entries(value)) {
    if (key.length > MAX_BYTES.property) throw propertyTooLong(name);
    assertStringLengths(inside, Array.isArray(value) ? name : key);
  }
}

function propertyTooLong(name: string) {
  const field = name.slice(0, MAX_LENGTHS.fieldName);
  return invalid({ [field]: [`must be at most ${formatBytes(MAX_BYTES.property)}`] });
}
