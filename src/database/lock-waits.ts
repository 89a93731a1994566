import { asDatabaseLocked } from "../errors";
import type { Platen } from "../platen";

const POLL_MS = 5;
/** Polls are counted, because the clock also advances while the machine is suspended. */
const MAX_POLLS = 400;

/** Waits for at most about two seconds, without blocking the event loop. Never throws. */
export async function waitForLock(platen: Platen): Promise<void> {
  const isFree = () => unlessLocked(platen, () => platen.db.$client.run("BEGIN IMMEDIATE; ROLLBACK"));
  try {
    for (let polls = 0; polls < MAX_POLLS && !isFree(); polls++) await Bun.sleep(POLL_MS);
  } catch {
    // The caller's write fails for the same reason.
  }
}

/** Does not wait for other writers. @returns false if another process holds the write lock */
export function unlessLocked(platen: Platen, work: () => void): boolean {
  try {
    withPragma(platen, "busy_timeout", 0, work);
    return true;
  } catch (error) {
    if (asDatabaseLocked(error)) return false;
    throw error;
  }
}

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
