import { asDatabaseLocked } from "../errors";
import type { Platen } from "../platen";

const POLL_MS = 5;
/**
 * Number of polls in two seconds. Polls are counted instead of time, because the machine may sleep in
 * between.
 */
const MAX_POLLS = 400;

/**
 * Waits until no other process is writing, without blocking the event loop. Gives up after MAX_POLLS; then the next
 * write fails.
 */
export async function waitForLock(platen: Platen): Promise<void> {
  const isFree = () => unlessLocked(platen, () => platen.db.$client.run("BEGIN IMMEDIATE; ROLLBACK"));
  try {
    for (let polls = 0; polls < MAX_POLLS && !isFree(); polls++) await Bun.sleep(POLL_MS);
  } catch {
    // The next write fails for the same reason.
  }
}

/** Runs deferrable work unless another process is writing. @returns whether it ran */
export function unlessLocked(platen: Platen, work: () => void): boolean {
  try {
    withPragma(platen, "busy_timeout", 0, work);
    return true;
  } catch (error) {
    if (asDatabaseLocked(error)) return false;
    throw error;
  }
}

/** Runs the work with another value of a pragma, then restores the previous one. */
export function withPragma<Result>(platen: Platen, name: string, value: number, work: () => Result): Result {
  const { $client } = platen.db;
  const [[previous = value] = []] = $client.query<never, []>(`PRAGMA ${name}`).values() as number[][];
  $client.run(`PRAGMA ${name} = ${value}`);
  try {
    return work();
  } finally {
    $client.run(`PRAGMA ${name} = ${previous}`);
  }
}
