import { MAX_BYTES } from "../../config/request-limits";
import { busy, malformed, tooLarge } from "../../errors";
import type { Platen } from "../../platen";
import { type Author, renderingQueue } from "../../posts/writing/author";
import { freeBuffer } from "../../runtime/garbage-collection";
import { readHeader } from "./headers";

/** @param beginning as much as may be read without a key @throws Refusal: no more of the body is read */
type Admit = (beginning: string) => BodyMemory;

/** As UTF-8. @param most in bytes @throws Refusal: too large, malformed */
export async function readBodyText(request: Request, most: number): Promise<string> {
  return (await readBody(request, most)).toString("utf8");
}

/**
 * @param most in bytes
 * @param admit is asked, once, when more than MAX_BYTES.beforeKey have come, with what stands in those: throws where no
 *   key does, and tells in whose memory the body is held
 * @throws Refusal (too large) as soon as the body is longer, whatever length it announced
 * @returns bytes of its own: who has read a large body calls `freeBuffer`
 */
export async function readBody(request: Request, most: number, admit: Admit | null = null): Promise<Buffer> {
  const packed = readHeader(request, "content-encoding") ?? "identity";
  if (packed !== "identity")
    throw malformed(`The body comes in ${packed}; send it without Content-Encoding.`);
  const refusal = () => tooLarge(`The body is larger than ${formatBytes(most)}.`);
  const announced = Number(readHeader(request, "content-length") ?? 0);
  if (announced > most) throw refusal();
  // Bun reads no more than was announced; a stream costs more than most bodies do.
  if (announced > 0 && announced <= MAX_BYTES.beforeKey) return Buffer.from(await request.arrayBuffer());
  let bytes: Buffer = Buffer.allocUnsafeSlow(0);
  let length = 0;
  let held: BodyMemory | undefined;
  let isWhole = false;
  try {
    for await (const chunk of request.body ?? []) {
      if (length + chunk.length > most) throw refusal();
      bytes = added(chunk, bytes, length, announced);
      length += chunk.length;
      if (length > MAX_BYTES.beforeKey) held ??= admit?.(bytes.toString("utf8", 0, MAX_BYTES.beforeKey));
      held?.grow(chunk.length);
      freeBuffer(chunk);
    }
    isWhole = true;
    return bytes.subarray(0, length);
  } finally {
    held?.release();
    if (!isWhole) freeBuffer(bytes);
  }
}

/** Until a key is known there is room for no more than has come. @param announced in bytes, as far as the client told */
function added(chunk: Uint8Array, bytes: Buffer, length: number, announced: number): Buffer {
  const needed = length + chunk.length;
  if (needed <= bytes.length) {
    bytes.set(chunk, length);
    return bytes;
  }
  const isAdmitted = length > MAX_BYTES.beforeKey;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, isAdmitted ? Math.max(announced, 2 * length) : 0));
  larger.set(bytes.subarray(0, length));
  larger.set(chunk, length);
  freeBuffer(bytes);
  return larger;
}

export function formatBytes(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`;
}

/** In seconds. */
const RETRY_AFTER = 5;

/** Platen → who sends → bytes of bodies that are held in memory until they have come whole. */
const held = new WeakMap<Platen, Map<string, number>>();

/** What one body takes of the memory that there is for all bodies of one sender. */
export interface BodyMemory {
  /** @throws Refusal (busy) where the sender's others leave no room */
  grow(bytes: number): void;
  /** To be called once the body is whole, or has broken off. */
  release(): void;
}

/** @param source whose key sends it, or who is signed in */
export function bodyMemory(platen: Platen, source: Author): BodyMemory {
  const sender = renderingQueue(source);
  const bySender = held.getOrInsertComputed(platen, () => new Map<string, number>());
  let own = 0;
  const add = (bytes: number) => {
    own += bytes;
    const all = (bySender.get(sender) ?? 0) + bytes;
    if (all > 0) bySender.set(sender, all);
    else bySender.delete(sender);
  };
  return {
    grow(bytes) {
      if ((bySender.get(sender) ?? 0) + bytes > MAX_BYTES.heldOfKey)
        throw busy("Other large requests of yours are under way: wait for their answers.", RETRY_AFTER);
      add(bytes);
    },
    release: () => add(-own),
  };
}
