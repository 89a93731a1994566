/** null if the item does not exist. */
type State = string | null;

interface Change {
  to: State;
  /** From `performance.now()`. */
  sentAt: number;
  /** Infinity until the change is acknowledged. */
  acknowledgedAt: number;
}

/** Name → states of all items with this name; more than one is an error. */
export type Contents = Map<string, string[]>;

/** Each item has one writer, who makes one change at a time. */
export class Ledger {
  acknowledged = 0;
  readonly errors: string[] = [];
  readonly #changes = new Map<string, Change[]>();
  readonly #waiting = new Set<{ for: number; resolve: () => void }>();
  isClosed = false;

  /** Call this before the change is sent. @returns a function to call when the change is acknowledged */
  begin(name: string, to: State): () => void {
    const change = { to, sentAt: performance.now(), acknowledgedAt: Number.POSITIVE_INFINITY };
    const before = this.#changes.get(name);
    if (before) before.push(change);
    else this.#changes.set(name, [change]);
    return () => {
      change.acknowledgedAt = performance.now();
      this.acknowledged++;
      this.#wake();
    };
  }

  possible(name: string, from: number, until: number): State[] {
    const changes = this.#changes.get(name) ?? [];
    const settled = changes.findLastIndex(({ acknowledgedAt }) => acknowledgedAt < from);
    const states = changes
      .slice(Math.max(settled, 0))
      .filter(({ sentAt }) => sentAt < until)
      .map(({ to }) => to);
    return settled < 0 ? [null, ...states] : states;
  }

  compare(where: string, found: Contents, from: number, until: number): void {
    for (const name of new Set([...this.#changes.keys(), ...found.keys()])) {
      const states = found.get(name) ?? [];
      const possible = this.possible(name, from, until);
      if (states.length > 1) this.error(`${where}: ${name} is there ${states.length} times`);
      else if (!possible.includes(states[0] ?? null))
        this.error(`${where}: ${name} is ${states[0] ?? "missing"}; it should be ${possible.join(" or ")}`);
    }
  }

  error(sentence: string): void {
    this.errors.push(sentence);
  }

  /** Resolves after `count` further acknowledged changes, or when the ledger is closed. */
  async more(count: number): Promise<void> {
    if (this.isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add({ for: this.acknowledged + count, resolve });
    await promise;
  }

  open(): void {
    this.isClosed = false;
  }

  close(): void {
    this.isClosed = true;
    this.#wake();
  }

  #wake(): void {
    for (const one of this.#waiting) {
      if (!this.isClosed && one.for > this.acknowledged) continue;
      this.#waiting.delete(one);
      one.resolve();
    }
  }
}
