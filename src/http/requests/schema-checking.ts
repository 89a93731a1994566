import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import { MAX_LENGTHS } from "../../config/request-limits";
import { type FieldErrors, Refusal } from "../../errors";

/** Faults in one answer: a list of a million wrong items has a million. */
const MOST_FAULTS = 20;

const checks = new WeakMap<TSchema, TypeCheck<TSchema>>();

/**
 * A body that meets its schema. Not left to Elysia, which converts a body before it checks it (a list where an object
 * belongs becomes an empty object), repeats the whole of a wrong one in its message, and fails at some.
 * @throws Refusal (invalid) naming each field at fault
 */
export function validateBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  const check = checks.get(schema) ?? TypeCompiler.Compile(schema);
  checks.set(schema, check);
  if (check.Check(body)) return body as Static<Schema>;
  const faults = fieldErrors(check.Errors(body));
  throw new Refusal("invalid", fieldErrorSentence(faults), faults);
}

export function fieldErrors(errors: Iterable<ValueError>): FieldErrors {
  const faults: FieldErrors = {};
  let told = 0;
  for (const error of errors) {
    const field = fieldOf(error.path);
    faults[field] ??= [faultText(error.schema, error.value)];
    if (++told === MOST_FAULTS) break;
  }
  return faults;
}

export function fieldErrorSentence(faults: FieldErrors): string {
  return `${Object.entries(faults)
    .map(([field, says]) => `${field} ${says[0]}`)
    .join("; ")}.`;
}

/** "/post/tags/0" → "tags", "/post/meta/hidden" → "meta.hidden", "/post" → "post". */
function fieldOf(path: string): string {
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

function faultText(schema: TSchema, value: unknown): string {
  if (value === undefined) return "is missing";
  const [last = "", ...others] = [...new Set(expectedTypes(schema))].reverse();
  return `must be ${others.length > 0 ? `${others.reverse().join(", ")} or ${last}` : last}`;
}

function expectedTypes(schema: TSchema): string[] {
  if (schema.const !== undefined) return [String(schema.const)];
  if (schema.anyOf) return schema.anyOf.flatMap(expectedTypes);
  // A text of a query may stand for something else.
  return [TYPE_NAMES[schema.means ?? schema.type] ?? "something else"];
}
