import { MAX_BYTES, MAX_COUNTS } from "../../config/request-limits";
import { malformed, malformedField, tooLarge } from "../../errors";
import { freeBuffer } from "../../runtime/garbage-collection";
import { readHeader } from "./headers";

/**
 * @param authorize called once with the first MAX_BYTES.beforeKey bytes of a longer body; throws to reject
 * the body
 * @throws Refusal: malformed for an encoded body; too large as soon as more than `maxBytes` are announced or
 * read
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  authorize?: (beginning: string) => void,
): Promise<Buffer> {
  const encoding = readHeader(request, "content-encoding") ?? "identity";
  if (encoding !== "identity")
    throw malformed(`Content-Encoding ${encoding} is not supported. Send the body uncompressed.`);
  const refusal = () => tooLarge(`The request body must be at most ${formatBytes(maxBytes)}.`);
  const announced = Number(readHeader(request, "content-length") ?? 0);
  if (announced > maxBytes) throw refusal();
  // Reads small bodies without a stream, which would be slow. Bun reads no more than the announced length.
  if (announced > 0 && announced <= MAX_BYTES.beforeKey) return Buffer.from(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isAuthorized = false;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw refusal();
    chunks.push(chunk);
    if (isAuthorized || length <= MAX_BYTES.beforeKey) continue;
    authorize?.(Buffer.concat(chunks).toString("utf8", 0, MAX_BYTES.beforeKey));
    isAuthorized = true;
  }
  const body = Buffer.concat(chunks);
  for (const chunk of chunks) freeBuffer(chunk);
  return body;
}

export function formatBytes(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
}

type FormLimits<Name extends string = string> = Record<Name, number>;

export interface SentForm<Name extends string> {
  get(name: Name): string | null;
  getAll(name: Name): string[];
}

/**
 * The route needs `parse: "none"`, or Elysia reads the body first.
 * @param limits maximum length of each field that the handler may read
 * @throws Refusal: too large; malformed for a field that is too long or too many fields
 */
export async function readForm<Name extends string>(
  request: Request,
  limits: FormLimits<Name>,
  maxBytes: number = MAX_BYTES.form,
): Promise<SentForm<Name>> {
  const form = parseForm((await readBody(request, maxBytes)).toString("utf8"));
  for (const [name, max] of Object.entries<number>(limits))
    for (const value of form.getAll(name)) if (value.length > max) throw fieldTooLong(name, max);
  return form;
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
