/** A set of posts' ids: a bit for each id that there may be. */
export class IdSet {
  count = 0;
  private bits: Uint8Array;

  /** @param highest of the ids that are likely to be in it */
  constructor(highest: number) {
    this.bits = new Uint8Array((highest >> 3) + 1);
  }

  static of(ids: readonly number[]): IdSet {
    const set = new IdSet(ids.reduce((highest, id) => Math.max(highest, id), 0));
    for (const id of ids) set.put(id, true);
    return set;
  }

  /** In bytes. */
  get size(): number {
    return this.bits.length;
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
    for (let id = 0; ids.length < this.count; id++) if (this.has(id)) ids.push(id);
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

  private growTo(id: number): void {
    const { bits } = this;
    this.bits = new Uint8Array((id >> 3) + 128);
    this.bits.set(bits);
  }
}

/** Byte → its bits that are set. */
const BITS_OF = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll("0", "").length);
