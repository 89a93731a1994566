export function yieldToEventLoop(): Promise<void> {
  return new Promise(setImmediate);
}

/** Maximum bytes per event-loop tick. Processing so many bytes takes a few milliseconds. */
const BYTES_PER_TICK = 256 * 1024;

/** Yields to the event loop between chunks of a large body. */
export class ByteYielder {
  #done = 0;

  async after(bytes: number): Promise<void> {
    this.#done += bytes;
    if (this.#done < BYTES_PER_TICK) return;
    this.#done = 0;
    await yieldToEventLoop();
  }
}
