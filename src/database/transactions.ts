import { asDatabaseDamaged, asDatabaseLocked, asDiskNotWritable, asTooManyOpenFiles } from "../errors";
import type { Database, Platen } from "../platen";
import { keepDataVersion } from "./change-counter";

/** A unit of work must not return a promise, because async code would run after the commit. */
export type NoPromise<Result> = Result extends PromiseLike<unknown> ? never : Result;

const TRANSACTION = { begin: "BEGIN IMMEDIATE", commit: "COMMIT", rollback: "ROLLBACK" };
const SAVEPOINT = {
  begin: "SAVEPOINT unit",
  commit: "RELEASE unit",
  rollback: "ROLLBACK TO unit; RELEASE unit",
};

/**
 * Rolls back if `work` throws. Everything that `work` does through `platen.db` belongs to the transaction.
 * Inside another transaction, the work is a savepoint: if the caller catches the exception, only this work is
 * undone.
 * @throws Refusal (busy) if another process holds the lock for longer than busy_timeout
 */
export function inTransaction<Result>(platen: Platen, work: () => NoPromise<Result>): Result {
  const { $client } = platen.db;
  const { begin, commit, rollback } = $client.inTransaction ? SAVEPOINT : TRANSACTION;
  try {
    $client.query(begin).run();
    const result = work();
    $client.query(commit).run();
    return result;
  } catch (error) {
    // After some errors, such as a full disk, SQLite has already rolled back.
    if ($client.inTransaction) $client.run(rollback);
    recordDiskError(platen, error);
    throw asDatabaseLocked(error) ?? error;
  }
}

/** Leaves `dataVersion` unchanged, so caches stay valid. `work` must not change what pages show. */
export function inInvisibleTransaction<Result>(platen: Platen, work: () => NoPromise<Result>): Result {
  return keepDataVersion(platen, () => inTransaction(platen, work));
}

const MAX_UNITS_PER_COMMIT = 50;
/** A command holds the lock about this long, then waits at least as long before it takes the lock again. */
const COMMAND_LOCK_MS = 4;

type Unit = PromiseWithResolvers<unknown> & { work: () => unknown };
const queues = new WeakMap<Database, Unit[]>();

/**
 * Like `inTransaction`, but up to MAX_UNITS_PER_COMMIT queued units share a commit, and so one sync. An
 * exception undoes only its own unit. If the commit fails, each unit runs again alone, unless the database is
 * locked.
 * @param work may run twice; sees the writes of earlier units
 * @returns the result of `work`, once it is on the disk
 */
export function inSharedTransaction<Result>(platen: Platen, work: () => NoPromise<Result>): Promise<Result> {
  const unit = { work, ...Promise.withResolvers<unknown>() };
  const queue = queues.getOrInsertComputed(platen.db, () => {
    setImmediate(() => commitQueue(platen));
    return [];
  });
  queue.push(unit);
  return unit.promise as Promise<Result>;
}

async function commitQueue(platen: Platen): Promise<void> {
  const queue = queues.get(platen.db) ?? [];
  while (queue.length > 0) {
    await waitForLock(platen);
    const began = performance.now();
    const settlements = commitTogether(platen, queue.slice(0, MAX_UNITS_PER_COMMIT));
    queue.splice(0, settlements.length);
    for (const settle of settlements) settle();
    if (platen.isCommand) await Bun.sleep(Math.ceil(performance.now() - began));
    else await new Promise(setImmediate);
  }
  queues.delete(platen.db);
}

/**
 * A command stops after COMMAND_LOCK_MS, so some units may not have run.
 * @returns one function per executed unit, which settles its promise
 */
function commitTogether(platen: Platen, units: Unit[]): (() => void)[] {
  const [first] = units;
  if (first && units.length === 1) return [runUnit(platen, first)];
  const began = performance.now();
  const settlements: (() => void)[] = [];
  try {
    inTransaction(platen, () => {
      for (const unit of units) {
        settlements.push(runUnit(platen, unit));
        if (!platen.db.$client.inTransaction) throw new Error("SQLite has rolled back the transaction.");
        if (platen.isCommand && performance.now() - began > COMMAND_LOCK_MS) break;
      }
    });
    return settlements;
  } catch (error) {
    const isLocked = asDatabaseLocked(error) !== null;
    return units.map((unit) => (isLocked ? () => unit.reject(error) : runUnit(platen, unit)));
  }
}

function runUnit(platen: Platen, { work, resolve, reject }: Unit): () => void {
  try {
    const result = inTransaction(platen, work);
    return () => resolve(result);
  } catch (error) {
    return () => reject(error);
  }
}

/**
 * Does not sync: a power cut may undo the write, but a crash of the process cannot. Do not call this inside a
 * transaction.
 */
export function inUnsyncedTransaction<Result>(platen: Platen, work: () => NoPromise<Result>): Result {
  return withPragma(platen, "synchronous", 1, () => inTransaction(platen, work));
}

/**
 * Only for commands, and for work that can be repeated. The next synced commit makes the unsynced commits
 * durable.
 */
export function unsynced<Result>({ db: { $client } }: Platen, work: () => Promise<Result>): Promise<Result> {
  $client.run("PRAGMA synchronous = NORMAL");
  return Promise.try(work).finally(() => $client.run("PRAGMA synchronous = FULL"));
}

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

const failedToWrite = new WeakSet<Database>();
/**
 * Writes one page to the WAL without changing data. `total_changes()` does not count this write, so caches
 * stay valid.
 */
export const REWRITE_FIRST_PAGE = "PRAGMA user_version = 0";

export function recordDiskError({ db }: Platen, error: unknown): void {
  if (!asTooManyOpenFiles(error) && (asDiskNotWritable(error) ?? asDatabaseDamaged(error)))
    failedToWrite.add(db);
}

export function isDatabaseWritable({ db }: Platen): boolean {
  if (!failedToWrite.has(db)) return true;
  try {
    db.$client.run(REWRITE_FIRST_PAGE);
    failedToWrite.delete(db);
    return true;
  } catch {
    return false;
  }
}
