import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import { MAX_LENGTHS } from "../../config/request-limits";
import { type FieldErrors, Refusal } from "../../errors";

const MAX_FIELD_ERRORS = 20;

const checks = new WeakMap<TSchema, TypeCheck<TSchema>>();

/**
 * Checks a body against its schema. Elysia would convert it first (a list becomes an empty object) and repeat all of it in
 * its message.
 * @throws Refusal (invalid) naming each wrong field
 */
export function validateBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  const check = checks.getOrInsertComputed(schema, () => TypeCompiler.Compile(schema));
  if (check.Check(body)) return body as Static<Schema>;
  const errors = fieldErrors(check.Errors(body));
  throw new Refusal("invalid", fieldErrorSentence(errors), errors);
}

export function fieldErrors(errors: Iterable<ValueError>): FieldErrors {
  const found: FieldErrors = {};
  let count = 0;
  for (const error of errors) {
    found[fieldName(error.path)] ??= [schemaRule(error.schema, error.value)];
    if (++count === MAX_FIELD_ERRORS) break;
  }
  return found;
}

export function fieldErrorSentence(errors: FieldErrors): string {
  return `${Object.entries(errors)
    .map(([field, rules]) => `${field} ${rules[0]}`)
    .join("; ")}.`;
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

function schemaRule(schema: TSchema, value: unknown): string {
  if (value === undefined) return "is missing";
  const [last = "", ...others] = [...new Set(expectedTypes(schema))].reverse();
  return `must be ${others.length > 0 ? `${others.reverse().join(", ")} or ${last}` : last}`;
}

function expectedTypes(schema: TSchema): string[] {
  if (schema.const !== undefined) return [String(schema.const)];
  if (schema.anyOf) return schema.anyOf.flatMap(expectedTypes);
  // `means`: the type that a query string stands for.
  return [TYPE_NAMES[schema.means ?? schema.type] ?? "something else"];
}
