import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import { MAX_BYTES, MAX_COUNTS, MAX_LENGTHS } from "../../config/request-limits";
import { KILOBYTE } from "../../config/units";
import type { FieldErrors, Refusal } from "../../errors";
import { busy, invalid, malformed, malformedField, tooLarge } from "../../errors";
import { freeBuffer } from "../../runtime/garbage-collection";
import { isChunked, readHeader } from "./headers";

const CONNECTION_BYTES = 8 * KILOBYTE;
const BUSY_RETRY_SECONDS = 5;

/**
 * Bodies of senders without a key, oldest first: a function that rejects the body → its memory. Global,
 * because the process's memory is.
 */
const strangersBodies = new Map<(refusal: Refusal) => void, number>();
let strangersBytes = 0;

/**
 * Reads the body of a sender without a key. If these bodies take too much memory, rejects the oldest, so that
 * slow senders neither fill the memory nor keep others out. Rejects chunked bodies, because a chunk of one
 * byte costs as much as a long one.
 * @param read calls `trust` as soon as it knows the sender's key
 */
export async function readFromStranger<Result>(
  request: Request,
  bytes: number,
  read: (trust: () => void) => Promise<Result>,
): Promise<Result> {
  if (isChunked(request)) throw malformed("Send Content-Length, or send the API key in a header.");
  const { promise, reject } = Promise.withResolvers<never>();
  strangersBodies.set(reject, bytes + CONNECTION_BYTES);
  strangersBytes += bytes + CONNECTION_BYTES;
  for (const rejectOldest of strangersBodies.keys()) {
    if (strangersBytes <= MAX_BYTES.strangersBodies) break;
    forgetBody(rejectOldest);
    rejectOldest(busy("Too many requests are being sent. Try again soon.", BUSY_RETRY_SECONDS));
  }
  try {
    return await Promise.race([promise, read(() => forgetBody(reject))]);
  } finally {
    forgetBody(reject);
  }
}

function forgetBody(reject: (refusal: Refusal) => void): void {
  strangersBytes -= strangersBodies.get(reject) ?? 0;
  strangersBodies.delete(reject);
}

/** For `readBody`: the sender needs no key. */
export const fromStranger = () => {};

/**
 * Rejects a body as soon as more than `maxBytes` are announced or read.
 * @param authorize needed if the sender may have no key. Called once with the first MAX_BYTES.beforeKey bytes
 * of a longer body; throws if these contain no key
 */
export async function readBody(request: Request, maxBytes: number, authorize?: (beginning: string) => void) {
  const encoding = readHeader(request, "content-encoding") ?? "identity";
  if (encoding !== "identity")
    throw malformed(`Content-Encoding ${encoding} is not supported. Send the body uncompressed.`);
  const announced = Number(readHeader(request, "content-length") ?? 0);
  if (announced > maxBytes) throw bodyTooLarge(maxBytes);
  const heldBytes = authorize === fromStranger ? maxBytes : MAX_BYTES.beforeKey;
  const read = async (trust?: () => void) => {
    // Reading small bodies as a stream would be slow. Bun reads no more than the announced length.
    if (announced > 0 && announced <= heldBytes) return Buffer.from(await request.arrayBuffer());
    return await readStream(request, maxBytes, (beginning) => {
      authorize?.(beginning);
      trust?.();
    });
  };
  return authorize ? await readFromStranger(request, Math.min(announced, heldBytes), read) : await read();
}

async function readStream(request: Request, maxBytes: number, authorize: (beginning: string) => void) {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isAuthorized = false;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw bodyTooLarge(maxBytes);
    chunks.push(chunk);
    if (isAuthorized || length <= MAX_BYTES.beforeKey) continue;
    authorize(Buffer.concat(chunks).toString("utf8", 0, MAX_BYTES.beforeKey));
    isAuthorized = true;
  }
  const body = Buffer.concat(chunks);
  for (const chunk of chunks) freeBuffer(chunk);
  return body;
}

const bodyTooLarge = (maxBytes: number) =>
  tooLarge(`The request body must be at most ${formatBytes(maxBytes)}.`);

export function formatBytes(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
}

export interface SentForm<Name extends string> {
  get(name: Name): string | null;
  getAll(name: Name): string[];
}

/**
 * The route needs `parse: "none"`, otherwise Elysia reads the body first.
 * @param limits maximum length of each field that the handler may read
 * @throws Refusal
 */
export async function readForm<Name extends string>(request: Request, limits: Record<Name, number>) {
  const form = parseForm((await readBody(request, MAX_BYTES.form, fromStranger)).toString("utf8"));
  for (const [name, max] of Object.entries<number>(limits))
    for (const value of form.getAll(name)) if (value.length > max) throw fieldTooLong(name, max);
  return form as SentForm<Name>;
}

export function parseForm(text: string): URLSearchParams {
  let fields = 0;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1))
    if (++fields > MAX_COUNTS.formFields)
      throw malformed(`A form must have at most ${MAX_COUNTS.formFields} fields.`);
  return new URLSearchParams(text);
}

export function fieldTooLong(name: string, max: number) {
  return malformedField(name, `must be at most ${max} characters`);
}

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
