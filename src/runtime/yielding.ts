export function yieldToEventLoop(): Promise<void> {
  return new Promise(setImmediate);
}

const BYTES_PER_TICK = 256 * 1024;

export class ByteYielder {
  #done = 0;

  async after(bytes: number): Promise<void> {
    this.#done += bytes;
    if (this.#done < BYTES_PER_TICK) return;
    this.#done = 0;
    await yieldToEventLoop();
  }
}
