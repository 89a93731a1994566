import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import { MAX_LENGTHS } from "../../config/request-limits";
import { type FieldErrors, invalid, malformed } from "../../errors";

/** Removes a byte order mark. Invalid bytes are an error, because replacing them would lose text. */
const UTF8 = new TextDecoder("utf-8", { fatal: true });

export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw malformed("The request body is empty. Send JSON.");
  try {
    return JSON.parse(UTF8.decode(body));
  } catch (error) {
    const format = error instanceof TypeError ? "encoded as UTF-8" : "valid JSON";
    throw malformed(`The request body is not ${format}.`);
  }
}

const MAX_FIELD_ERRORS = 20;

const checks = new WeakMap<TSchema, TypeCheck<TSchema>>();

/**
 * Elysia's own check converts the body first (a list becomes an empty object), and quotes the whole body in
 * its error.
 * @throws Refusal (invalid) naming the wrong fields
 */
export function validateBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  const check = checks.getOrInsertComputed(schema, () => TypeCompiler.Compile(schema));
  if (check.Check(body)) return body as Static<Schema>;
  throw invalid(fieldErrors(check.Errors(body)));
}

export function fieldErrors(errors: Iterable<ValueError>): FieldErrors {
  const found: FieldErrors = {};
  for (const error of Iterator.from(errors).take(MAX_FIELD_ERRORS))
    found[fieldName(error.path)] ??= [
      /\/\d+$/.test(error.path)
        ? `must contain only ${plural(error.schema)}`
        : schemaRule(error.schema, error.value),
    ];
  return found;
}

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

const ALTERNATIVES = new Intl.ListFormat("en-GB", { type: "disjunction" });

function schemaRule(schema: TSchema, value: unknown): string {
  if (value === undefined) return "is missing";
  return `must be ${ALTERNATIVES.format(new Set(expectedTypes(schema)))}`;
}

function plural(schema: TSchema): string {
  const types = expectedTypes(schema).map((type) => type.replace(/^an? (.+)/, "$1s"));
  const fields = schema.required ? ` with ${schema.required.join(" and ")}` : "";
  return ALTERNATIVES.format(types) + fields;
}

function expectedTypes(schema: TSchema): string[] {
  if (schema.const !== undefined) return [String(schema.const)];
  if (schema.anyOf) return schema.anyOf.flatMap(expectedTypes);
  const [values] = Object.values<TSchema>(schema.patternProperties ?? {});
  if (values) return [`an object of ${plural(values)}`];
  if (schema.items) return [`a list of ${plural(schema.items)}`];
  // `means` is the type that a query string represents.
  return [TYPE_NAMES[schema.means ?? schema.type] ?? "something else"];
}
