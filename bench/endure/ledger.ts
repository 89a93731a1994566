/** What a thing is from then on, for whoever asks for it; null: not there. */
type State = string | null;

interface Change {
  to: State;
  /** Milliseconds of `performance.now()`. */
  sentAt: number;
  /** Infinity until then. */
  acknowledgedAt: number;
}

/** What is found somewhere: a name, and the state of each thing that has it. One of each name is right. */
export type Contents = Map<string, string[]>;

/** All that was sent, and what of it was acknowledged when. Each thing has one who changes it, one change after the other. */
export class Ledger {
  acknowledged = 0;
  readonly faults: string[] = [];
  readonly #changes = new Map<string, Change[]>();
  readonly #waiting = new Set<{ for: number; resolve: () => void }>();
  isClosed = false;

  /** To be called before anything is sent; what is returned, when it was answered. */
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

  /** What may be found by somebody who began to look at one time and ended at another. */
  possible(name: string, from: number, until: number): State[] {
    const changes = this.#changes.get(name) ?? [];
    const settled = changes.findLastIndex(({ acknowledgedAt }) => acknowledgedAt < from);
    const states = changes
      .slice(Math.max(settled, 0))
      .filter(({ sentAt }) => sentAt < until)
      .map(({ to }) => to);
    return settled < 0 ? [null, ...states] : states;
  }

  /** Says what in there is missing, is not as it was written, is there twice, or was never written. */
  compare(where: string, found: Contents, from: number, until: number): void {
    for (const name of new Set([...this.#changes.keys(), ...found.keys()])) {
      const states = found.get(name) ?? [];
      const possible = this.possible(name, from, until);
      if (states.length > 1) this.fault(`${where}: ${name} is there ${states.length} times`);
      else if (!possible.includes(states[0] ?? null))
        this.fault(`${where}: ${name} is ${states[0] ?? "missing"}; it should be ${possible.join(" or ")}`);
    }
  }

  fault(sentence: string): void {
    this.faults.push(sentence);
  }

  /** Returns once so many more changes are acknowledged, or the ledger is closed: the clock of everything here. */
  async more(count: number): Promise<void> {
    if (this.isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add({ for: this.acknowledged + count, resolve });
    await promise;
  }

  open(): void {
    this.isClosed = false;
  }

  /** Lets everybody go who waits for more. */
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
