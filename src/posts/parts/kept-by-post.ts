/** What was made of posts, kept until anything that belongs to one of them is written. */
import { BoundedMemory } from "../../bounded-memory";
import type { Platen } from "../../platen";
import { ANY, changesSince } from "./changed-posts";

export class KeptByPost<Made extends { size: number }> {
  private readonly kept: BoundedMemory<number, Made>;
  private seen: number | undefined;

  /** @param mostBytes of what is kept; what is unused longest goes first */
  constructor(
    private readonly platen: Platen,
    mostBytes: number,
  ) {
    this.kept = new BoundedMemory(mostBytes);
  }

  /** What is kept of these posts; what a transaction sees may be taken back. */
  known(ids: number[]): Map<number, Made> {
    const known = new Map<number, Made>();
    if (this.platen.db.$client.inTransaction) return known;
    this.forgetWhatChanged();
    for (const id of ids) {
      const made = this.kept.get(id);
      if (made) known.set(id, made);
    }
    return known;
  }

  /** To be called in the turn of the event loop in which `known` was, and it was made. */
  keep(id: number, made: Made): void {
    if (!this.platen.db.$client.inTransaction) this.kept.set(id, made);
  }

  private forgetWhatChanged(): void {
    const { ids, now } = changesSince(this.platen, this.seen);
    this.seen = now;
    if (ids === null || ids.includes(ANY)) this.kept.clear();
    else for (const id of ids) this.kept.delete(id);
  }
}
