import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import { MAX_BYTES, MAX_COUNTS, MAX_LENGTHS } from "../../config/request-limits";
import { type FieldErrors, invalid, malformed } from "../../errors";
import { freeBuffer } from "../../runtime/garbage-collection";
import { formatBytes } from "./request-body";

/** JSON's syntax characters as UTF-8 bytes. No other character contains these bytes. */
const JSON_BYTE = { '"': 34, ",": 44, "[": 91, "\\": 92, "]": 93, "{": 123, "}": 125 } as const;

/**
 * @param body is freed, so the caller must not use it afterwards
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

/**
 * Limits values and nesting before parsing, because 10 MB may contain three million lists.
 * @throws Refusal (malformed)
 */
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
        `The request body must be at most ${formatBytes(MAX_BYTES.jsonSigns)}, not counting text in strings.`,
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

const MAX_FIELD_ERRORS = 20;

const checks = new WeakMap<TSchema, TypeCheck<TSchema>>();

/**
 * Checks a body against its schema. Elysia's own check is not used: it converts the body first (a list becomes an
 * empty object), and its error message quotes the whole body.
 * @throws Refusal (invalid) naming each wrong field
 */
export function validateBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  const check = checks.getOrInsertComputed(schema, () => TypeCompiler.Compile(schema));
  if (check.Check(body)) return body as Static<Schema>;
  throw invalid(fieldErrors(check.Errors(body)));
}

export function fieldErrors(errors: Iterable<ValueError>): FieldErrors {
  const found: FieldErrors = {};
  for (const error of Iterator.from(errors).take(MAX_FIELD_ERRORS))
    found[fieldName(error.path)] ??= [schemaRule(error.schema, error.value)];
  return found;
}

/** "/post/tags/0" → "tags", "/post/meta/hidden" → "meta.hidden", "/post" → "post". */
function fieldName(path: string): string {
  const steps = path.split("/").filter((step) => step !== "" && !/^\d+$/.test(step));
  if (steps[0] === "post" && steps.length > 1) steps.shift();
  return steps.join(".").slice(0, MAX_LENGTHS.fieldName) || "body";
}

const TYPE_NAMES: Record<string, string> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

/** "a string, a number or null" */
const ALTERNATIVES = new Intl.ListFormat("en-GB", { type: "disjunction" });

function schemaRule(schema: TSchema, value: unknown): string {
  if (value === undefined) return "is missing";
  return `must be ${ALTERNATIVES.format(new Set(expectedTypes(schema)))}`;
}

function expectedTypes(schema: TSchema): string[] {
  if (schema.const !== undefined) return [String(schema.const)];
  if (schema.anyOf) return schema.anyOf.flatMap(expectedTypes);
  // `means` is the type that a query string represents.
  return [TYPE_NAMES[schema.means ?? schema.type] ?? "something else"];
}
