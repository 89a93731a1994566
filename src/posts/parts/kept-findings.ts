/** What was found among all posts, kept: after a change only the posts that were written are looked at. */
import { BoundedMemory } from "../../bounded-memory";
import type { Database, Platen } from "../../platen";
import { ANY, changesSince } from "./changed-posts";

interface Kept<Found> {
  found: Found;
  /** What `changesSince` is asked with. */
  seen: number;
  size: number;
}

/** How something is found that is kept by a key. */
export interface Finding<Found> {
  key: string;
  find(): Found;
  /** @param changed posts that were written since. @returns false where it is to be found anew */
  follow(found: Found, changed: number[]): boolean;
}

/** Of each database its own; of so many bytes together at most. */
export class KeptFindings<Found extends { size: number }> {
  private readonly memories = new WeakMap<Database, BoundedMemory<string, Kept<Found>>>();
  private readonly underWay = new WeakMap<Database, Map<string, Promise<void>>>();

  constructor(private readonly mostBytes: number) {}

  /** @returns what is not to be changed */
  found(platen: Platen, finding: Finding<Found>): Found {
    if (platen.db.$client.inTransaction) return finding.find();
    const known = this.known(platen, finding);
    if (known) return known;
    const { now } = changesSince(platen, undefined);
    return this.keep(platen, finding.key, finding.find(), now);
  }

  /**
   * For `found` to have it ready.
   * @param inTurns finds it while others are answered, and posts are written: it follows those
   */
  async ready(platen: Platen, finding: Finding<Found>, inTurns: () => Promise<Found>): Promise<void> {
    if (platen.db.$client.inTransaction || this.known(platen, finding)) return;
    const underWay = this.underWay.getOrInsertComputed(platen.db, () => new Map<string, Promise<void>>());
    const { key } = finding;
    const { now } = changesSince(platen, undefined);
    await underWay.getOrInsertComputed(key, () =>
      inTurns()
        .then((found) => void this.keep(platen, key, found, now))
        .finally(() => underWay.delete(key)),
    );
  }

  forget({ db }: Platen): void {
    this.memories.get(db)?.clear();
  }

  /** What is kept, brought up to date. */
  known(platen: Platen, { key, follow }: Finding<Found>): Found | undefined {
    // What a transaction sees may be taken back.
    if (platen.db.$client.inTransaction) return undefined;
    const kept = this.memories.get(platen.db)?.get(key);
    if (!kept) return undefined;
    const { ids, now } = changesSince(platen, kept.seen);
    const changed = ids && [...new Set(ids)].filter((id) => id !== ANY);
    return changed && follow(kept.found, changed) ? this.keep(platen, key, kept.found, now) : undefined;
  }

  private keep({ db }: Platen, key: string, found: Found, seen: number): Found {
    const memory = this.memories.getOrInsertComputed(db, () => new BoundedMemory(this.mostBytes));
    memory.set(key, { found, seen, size: found.size });
    return found;
  }
}
