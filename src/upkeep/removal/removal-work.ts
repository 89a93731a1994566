/** How far a removal is, in rows that are copied, found again or deleted. */
export interface RemovalWork {
  /** There is so much more to do than was known. */
  more(rows: number): void;
  /** So much of it is done. */
  step(rows: number): void;
}

export function newWork(onStep: (done: number, total: number) => void = () => {}): RemovalWork {
  let [done, total] = [0, 0];
  return {
    more(rows) {
      total += rows;
    },
    step(rows) {
      done += rows;
      onStep(Math.min(done, total), total);
    },
  };
}
