import { MEGABYTE } from "../config/units";

const COLLECTED_EVERY = 24 * MEGABYTE;
/** What is left of bodies that stall is collected after so long, in milliseconds. */
const COLLECTED_AFTER = 1000;

/** Received or dropped since garbage was last collected, in bytes; one for the process, as its garbage is. */
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
  if (uncollected >= COLLECTED_EVERY) collect();
  else if (uncollected >= MEGABYTE) rest ??= setTimeout(collect, COLLECTED_AFTER).unref();
}

function collect(): void {
  clearTimeout(rest);
  rest = undefined;
  uncollected = 0;
  Bun.gc(true);
}

/**
 * Gives back at once what these bytes take, where they are all of their buffer: to wait for the collector means hundreds
 * of megabytes, to have it come 30 ms in which nobody else is answered. Nobody may look at them any more.
 */
export function freeBuffer(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength) buffer.transfer(0);
}
