import { MAX_BYTES, MAX_COUNTS } from "../../config/request-limits";
import { KILOBYTE } from "../../config/units";
import { busy, malformed, malformedField, type Refusal, tooLarge } from "../../errors";
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
export async function readBody(
  request: Request,
  maxBytes: number,
  authorize?: (beginning: string) => void,
): Promise<Buffer> {
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

async function readStream(
  request: Request,
  maxBytes: number,
  authorize: (beginning: string) => void,
): Promise<Buffer> {
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

type FormLimits<Name extends string = string> = Record<Name, number>;

export interface SentForm<Name extends string> {
  get(name: Name): string | null;
  getAll(name: Name): string[];
}

/**
 * The route needs `parse: "none"`, otherwise Elysia reads the body first.
 * @param limits maximum length of each field that the handler may read
 * @throws Refusal
 */
export async function readForm<Name extends string>(
  request: Request,
  limits: FormLimits<Name>,
  maxBytes: number = MAX_BYTES.form,
): Promise<SentForm<Name>> {
  const form = parseForm((await readBody(request, maxBytes, fromStranger)).toString("utf8"));
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
