import { MEGABYTE } from "../config/units";

const COLLECT_AFTER_BYTES = 24 * MEGABYTE;
/** Collects what stalled bodies leave. */
const COLLECT_AFTER_MS = 1000;

/** Bytes received or dropped since the last collection. Global, because garbage is. */
let uncollected = 0;
let rest: NodeJS.Timeout | undefined;

/**
 * To be called with the length of every piece of a large body, and of every answer that is kept no more. The collector
 * hardly sees what these weigh: 60 uploads of 18 MB at once left 260 MB of them behind, and leave 115 so; 32 MB of
 * answers made anew twice took a server to 255 MB, and take it to 177. Meanwhile nobody is answered, for 25 ms: what can
 * be given back by `freeBuffer` is.
 */
export function collectGarbageAfter(length: number): void {
  uncollected += length;
  if (uncollected >= COLLECT_AFTER_BYTES) collect();
  else if (uncollected >= MEGABYTE) rest ??= setTimeout(collect, COLLECT_AFTER_MS).unref();
}

function collect(): void {
  clearTimeout(rest);
  rest = undefined;
  uncollected = 0;
  Bun.gc(true);
}

/** Frees a buffer without a garbage collection. Nobody may use the bytes afterwards. */
export function freeBuffer(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength) buffer.transfer(0);
}
