import { MAX_BYTES, MAX_COUNTS } from "../../config/request-limits";
import { busy, malformed, malformedField, tooLarge } from "../../errors";
import type { Platen } from "../../platen";
import { type Author, renderingQueue } from "../../posts/post/post";
import { freeBuffer } from "../../runtime/garbage-collection";
import { readHeader } from "./headers";

const BUSY_RETRY_SECONDS = 5;

/**
 * @param beginning the first MAX_BYTES.beforeKey bytes
 * @throws Refusal to reject the request without reading the rest of the body
 */
type AuthorizeBody = (beginning: string) => BodyMemory;

/** Reads the body as UTF-8 text. @throws Refusal: too large, malformed */
async function readBodyText(request: Request, maxBytes: number): Promise<string> {
  return (await readBody(request, maxBytes)).toString("utf8");
}

/**
 * @param authorize called once, before more than MAX_BYTES.beforeKey bytes are read; throws if there is no key
 * @throws Refusal (too large) as soon as the body is longer, whatever Content-Length says
 * @returns an unshared buffer; pass a large buffer to `freeBuffer` after use
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  authorize: AuthorizeBody | null = null,
): Promise<Buffer> {
  const encoding = readHeader(request, "content-encoding") ?? "identity";
  if (encoding !== "identity")
    throw malformed(`Content-Encoding ${encoding} is not supported. Send the body uncompressed.`);
  const refusal = () => tooLarge(`The request body must be at most ${formatBytes(maxBytes)}.`);
  const announced = Number(readHeader(request, "content-length") ?? 0);
  if (announced > maxBytes) throw refusal();
  // Reads small bodies without a stream, which would be slow. Bun reads no more than the announced length.
  if (announced > 0 && announced <= MAX_BYTES.beforeKey) return Buffer.from(await request.arrayBuffer());
  let bytes: Buffer = Buffer.allocUnsafeSlow(0);
  let length = 0;
  let memory: BodyMemory | undefined;
  let isComplete = false;
  try {
    for await (const chunk of request.body ?? []) {
      if (length + chunk.length > maxBytes) throw refusal();
      bytes = appendChunk(chunk, bytes, length, announced);
      length += chunk.length;
      if (length > MAX_BYTES.beforeKey)
        memory ??= authorize?.(bytes.toString("utf8", 0, MAX_BYTES.beforeKey));
      memory?.grow(chunk.length);
      freeBuffer(chunk);
    }
    isComplete = true;
    return bytes.subarray(0, length);
  } finally {
    memory?.release();
    if (!isComplete) freeBuffer(bytes);
  }
}

/** Allocates no more than has arrived until the request is authorized. @param announced Content-Length */
function appendChunk(chunk: Uint8Array, bytes: Buffer, length: number, announced: number): Buffer {
  const needed = length + chunk.length;
  if (needed <= bytes.length) {
    bytes.set(chunk, length);
    return bytes;
  }
  const isAuthorized = length > MAX_BYTES.beforeKey;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, isAuthorized ? Math.max(announced, 2 * length) : 0));
  larger.set(bytes.subarray(0, length));
  larger.set(chunk, length);
  freeBuffer(bytes);
  return larger;
}

export function formatBytes(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
}

/** Platen → sender → bytes of incomplete bodies in memory. */
const bodyBytes = new WeakMap<Platen, Map<string, number>>();

/** The memory that one incomplete body takes from its sender's budget. */
export interface BodyMemory {
  /** @throws Refusal (busy) if the sender's budget is used up */
  grow(bytes: number): void;
  /** Call it when the body is complete or was aborted. */
  release(): void;
}

/** @param source key or account that sends the body */
export function bodyMemory(platen: Platen, source: Author): BodyMemory {
  const sender = renderingQueue(source);
  const bySender = bodyBytes.getOrInsertComputed(platen, () => new Map<string, number>());
  let ownBytes = 0;
  const add = (bytes: number) => {
    ownBytes += bytes;
    const all = (bySender.get(sender) ?? 0) + bytes;
    if (all > 0) bySender.set(sender, all);
    else bySender.delete(sender);
  };
  return {
    grow(bytes) {
      if ((bySender.get(sender) ?? 0) + bytes > MAX_BYTES.heldOfKey)
        throw busy("Too many large requests at once. Try again soon.", BUSY_RETRY_SECONDS);
      add(bytes);
    },
    release: () => add(-ownBytes),
  };
}

/** Field name → maximum length in characters. */
export type FormLimits<Name extends string = string> = Record<Name, number>;

export interface SentForm<Name extends string> {
  get(name: Name): string | null;
  getAll(name: Name): string[];
}

/**
 * Reads an urlencoded form; for a route with `parse: "none"`.
 * @param limits of the fields that may be read
 * @throws Refusal: too large, malformed naming a field that is too long
 */
export async function readForm<Name extends string>(
  request: Request,
  limits: FormLimits<Name>,
  maxBytes: number = MAX_BYTES.form,
): Promise<SentForm<Name>> {
  const form = parseForm(await readBodyText(request, maxBytes));
  for (const [name, max] of Object.entries<number>(limits))
    for (const value of form.getAll(name)) if (value.length > max) throw fieldTooLong(name, max);
  return form;
}

/** @throws Refusal (malformed) if there are more than MAX_COUNTS.formFields */
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
