import { MEGABYTE } from "../config/units";

const COLLECT_AFTER_BYTES = 24 * MEGABYTE;
/** From 1 MB on, garbage is collected after this long, even if no more bytes are counted. */
const COLLECT_AFTER_MS = 1000;

/** Module state, because a process has one heap. */
let uncollected = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Collects garbage once enough bytes were counted, because Bun does not count the memory of buffers. A
 * collection blocks for milliseconds, so prefer `freeBuffer`.
 */
export function collectGarbageAfter(length: number): void {
  uncollected += length;
  if (uncollected >= COLLECT_AFTER_BYTES) collect();
  else if (uncollected >= MEGABYTE) timer ??= setTimeout(collect, COLLECT_AFTER_MS).unref();
}

function collect(): void {
  clearTimeout(timer);
  timer = undefined;
  uncollected = 0;
  Bun.gc(true);
}

/** The bytes must not be used afterwards. Does nothing if they are only a part of their buffer. */
export function freeBuffer(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength) buffer.transfer(0);
}
