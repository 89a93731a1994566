/** To be awaited between steps that take long together: others' requests, which have come meanwhile, are answered first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((turn) => setImmediate(turn));
}

/** In bytes: to go through so many takes a few milliseconds at most. */
const IN_ONE_TURN = 256 * 1024;

/** Of work on many bytes: others come in between now and then. */
export class ByteYielder {
  #done = 0;

  async after(bytes: number): Promise<void> {
    this.#done += bytes;
    if (this.#done < IN_ONE_TURN) return;
    this.#done = 0;
    await yieldToEventLoop();
  }
}
