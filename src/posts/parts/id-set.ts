/** A set of posts' ids: a bit for each id that there may be. */
export class IdSet {
  count = 0;
  private bits: Uint8Array;

  /** @param highest of the ids that are likely to be in it */
  constructor(highest: number) {
    this.bits = new Uint8Array((highest >> 3) + 1);
  }

  /** @param ids each of them once */
  static of(ids: readonly number[]): IdSet {
    let highest = 0;
    for (const id of ids) if (id > highest) highest = id;
    const set = new IdSet(highest);
    for (const id of ids) (set.bits[id >> 3] as number) |= 1 << (id & 7);
    set.count = ids.length;
    return set;
  }

  /** In bytes, with objects and words, roughly. */
  get size(): number {
    return this.bits.length + BYTES_BESIDES;
  }

  has(id: number): boolean {
    return (((this.bits[id >> 3] ?? 0) >> (id & 7)) & 1) === 1;
  }

  put(id: number, isIn: boolean): void {
    if (this.has(id) === isIn) return;
    if (id >> 3 >= this.bits.length) this.growTo(id);
    this.bits[id >> 3] = (this.bits[id >> 3] as number) ^ (1 << (id & 7));
    this.count += isIn ? 1 : -1;
  }

  ids(): number[] {
    const ids: number[] = [];
    for (let byte = 0; ids.length < this.count; byte++)
      if (this.bits[byte] !== 0)
        for (let id = byte * 8; id < byte * 8 + 8; id++) if (this.has(id)) ids.push(id);
    return ids;
  }

  /** How many are in both. */
  countShared({ bits }: IdSet): number {
    const bytes = Math.min(bits.length, this.bits.length);
    let count = 0;
    for (let at = 0; at < bytes; at++)
      count += BITS_OF[(bits[at] as number) & (this.bits[at] as number)] as number;
    return count;
  }

  /** Those of the other one too. */
  add({ bits }: IdSet): void {
    if (bits.length > this.bits.length) this.growTo(bits.length * 8);
    for (let at = 0; at < bits.length; at++) (this.bits[at] as number) |= bits[at] as number;
    this.count = this.countShared(this);
  }

  /** What is in both. */
  sharedWith({ bits }: IdSet): IdSet {
    const shared = new IdSet(0);
    shared.bits = this.bits.slice(0, bits.length);
    for (let at = 0; at < shared.bits.length; at++) (shared.bits[at] as number) &= bits[at] as number;
    shared.count = shared.countShared(shared);
    return shared;
  }

  private growTo(id: number): void {
    const { bits } = this;
    this.bits = new Uint8Array((id >> 3) + 128);
    this.bits.set(bits);
  }
}

const BYTES_BESIDES = 500;

/** Byte → its bits that are set. */
const BITS_OF = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);
