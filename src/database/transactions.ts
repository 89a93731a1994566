import { closedToWriting, crowded, lockedOut, unwritable } from "../errors";
import type { Database, Platen } from "../platen";
import { WAIT_FOR_LOCK } from "./open";
import { prepared } from "./prepared";

/** What a unit of work may give: no promise, for what it still has to do would run after the commit. */
export type NoPromise<Result> = Result extends PromiseLike<unknown> ? never : Result;

/**
 * One unit of work, whole or not at all: an exception inside undoes everything and goes on to the caller.
 * A Platen has one connection to its database, so all that `work` and the functions it calls do through `platen.db`
 * belongs to the transaction. It takes the write lock at once, so that what is read inside stays true until the end.
 * Inside another transaction it is a part of that one (a savepoint): an exception that is caught on its way out undoes
 * this part only.
 * @throws Refusal (busy) where another process keeps the lock for longer than one waits
 */
export function inTransaction<Result>(platen: Platen, work: () => NoPromise<Result>): Result {
  const { db } = platen;
  const { begin, end, undo } = (db.$client.inTransaction ? part : whole)(platen);
  try {
    begin.run();
    try {
      const result = work();
      end.run();
      return result;
    } catch (fault) {
      // SQLite itself undoes all of it where the disk is full, for instance.
      if (db.$client.inTransaction) db.$client.run(undo);
      throw fault;
    }
  } catch (fault) {
    noteDiskFault(platen, fault);
    throw lockedOut(fault) ?? fault;
  }
}

const whole = prepared(({ $client }) => ({
  begin: $client.query("BEGIN IMMEDIATE"),
  end: $client.query("COMMIT"),
  undo: "ROLLBACK",
}));
const part = prepared(({ $client }) => ({
  begin: $client.query("SAVEPOINT part"),
  end: $client.query("RELEASE part"),
  undo: "ROLLBACK TO part; RELEASE part",
}));

/** What cannot be written, for all that is known. */
const failedToWrite = new WeakSet<Database>();
/** Writes the first page to the WAL unchanged. `total_changes()` does not count it, so caches stay valid. */
export const REWRITE_FIRST_PAGE = "PRAGMA user_version = 0";

/** To be told of what a write fails with: the disk may be broken, or closed to writing. A full one has its reserve. */
export function noteDiskFault({ db }: Platen, fault: unknown): void {
  if (!crowded(fault) && (closedToWriting(fault) ?? unwritable(fault))) failedToWrite.add(db);
}

/** Whether the disk takes what is written: where a write failed by it, another is tried. */
export function isWritable(platen: Platen): boolean {
  if (!failedToWrite.has(platen.db)) return true;
  try {
    if (unlessLocked(platen, () => void platen.db.$client.run(REWRITE_FIRST_PAGE)))
      failedToWrite.delete(platen.db);
  } catch {
    // It still does not.
  }
  return !failedToWrite.has(platen.db);
}

/** How long one waits for another process's transaction while others are answered, in milliseconds. */
const LOCK_WAITED_FOR = 2000;
/** In milliseconds. Where others write much, the lock is free for moments. */
const LOOKED_AT_EVERY = 2;
/** In milliseconds. Of a look that takes longer, the process stood still for the rest: its machine slept, or it was stopped. */
const LONGEST_LOOK = 100;

/**
 * Does work that writes, once no other process's transaction is under way: others are answered meanwhile.
 * @param work that fares as though it had not been begun where it is locked out: one transaction
 * @throws Refusal (busy) where another process keeps the lock for longer than one waits
 */
export async function onceUnlocked<Result>(platen: Platen, work: () => NoPromise<Result>): Promise<Result> {
  let since: number | undefined;
  for (;;) {
    try {
      return withoutWaiting(platen, work);
    } catch (fault) {
      since ??= awake(platen);
      if (!lockedOut(fault) || awake(platen) >= since + patience(platen)) throw lockedOut(fault) ?? fault;
    }
    await nextLook(platen);
  }
}

/**
 * What a request waits for before it writes: that no other process does. Another may begin before it comes to that, and it
 * waits once more, as any statement does, in the place of all who are to be answered (see `waitAsServer`).
 */
export async function turnToWrite(platen: Platen): Promise<void> {
  try {
    await onceUnlocked(platen, () => takeLock(platen));
  } catch {
    // Whoever writes will be told, in the words of its door.
  }
}

/** Does work that is as well done the next time, unless another process is writing. @returns whether it was done */
export function unlessLocked(platen: Platen, work: () => void): boolean {
  try {
    withoutWaiting(platen, work);
    return true;
  } catch (fault) {
    if (lockedOut(fault)) return false;
    throw fault;
  }
}

function patience({ isCommand }: Platen): number {
  return isCommand ? WAIT_FOR_LOCK : LOCK_WAITED_FOR;
}

function withoutWaiting<Result>({ db: { $client } }: Platen, work: () => Result): Result {
  const { timeout } = $client.query("PRAGMA busy_timeout").get() as { timeout: number };
  if (timeout === 0) return work();
  $client.run("PRAGMA busy_timeout = 0");
  try {
    return work();
  } finally {
    $client.run(`PRAGMA busy_timeout = ${timeout}`);
  }
}

function takeLock({ db: { $client } }: Platen): void {
  $client.run("BEGIN IMMEDIATE");
  $client.run("ROLLBACK");
}

/** Database → the look at its lock that all who wait for it share. */
const looks = new WeakMap<Database, Promise<void>>();
/** Database → for how many milliseconds the process stood still in looks at its lock. */
const stoodStill = new WeakMap<Database, number>();

/** The time by which waiting for the lock is measured, in milliseconds: while the process stands still, it does not look. */
function awake({ db }: Platen): number {
  return performance.now() - (stoodStill.get(db) ?? 0);
}

function nextLook({ db }: Platen): Promise<void> {
  const under = looks.get(db) ?? look(db);
  looks.set(db, under);
  return under;
}

async function look(db: Database): Promise<void> {
  const began = performance.now();
  await Bun.sleep(LOOKED_AT_EVERY);
  const overlong = Math.max(0, performance.now() - began - LONGEST_LOOK);
  stoodStill.set(db, (stoodStill.get(db) ?? 0) + overlong);
  looks.delete(db);
}

/** Units of work that wait for the disk together; others wait for them, and go on after the next turn. */
const MOST_TOGETHER = 50;
/**
 * A command keeps the lock no longer with what it writes together, in milliseconds; then it leaves it to others for as long
 * as it had it: a server, for which readers wait.
 */
const COMMAND_KEEPS_LOCK = 4;

/** One that waits for its turn's end. */
interface Waiting {
  work: () => unknown;
  /** When it was locked out first, by `awake`. */
  since?: number;
  promise: PromiseWithResolvers<unknown>;
}
interface Queue {
  all: Waiting[];
  isUnderWay: boolean;
}
const queues = new WeakMap<Database, Queue>();

/**
 * As inTransaction, together with all that comes in the same turn of the event loop: they wait for the disk once, and
 * each is a part of its own, so that an exception undoes its own only. Where everything is undone, since the disk is
 * full for instance, each is done again alone, and fares as it would have without the others. Where another process
 * keeps the lock, they wait for it as in `onceUnlocked`, and those that come meanwhile with them.
 * @param work may be done more than once; sees what those before it have written
 * @returns what it gave, once that is on the disk
 */
export function inSharedTransaction<Result>(platen: Platen, work: () => NoPromise<Result>): Promise<Result> {
  const promise = Promise.withResolvers<unknown>();
  const queue = queues.get(platen.db) ?? { all: [], isUnderWay: false };
  queues.set(platen.db, queue);
  queue.all.push({ work, promise });
  if (!queue.isUnderWay) setImmediate(() => commitAll(platen, queue));
  queue.isUnderWay = true;
  return promise.promise as Promise<Result>;
}

async function commitAll(platen: Platen, queue: Queue): Promise<void> {
  const { all } = queue;
  while (all.length > 0) {
    const began = performance.now();
    const group = all.slice(0, MOST_TOGETHER);
    try {
      const outcomes = withoutWaiting(platen, () => outcomesOf(platen, group));
      all.splice(0, outcomes.length);
      for (const settle of outcomes) settle();
      await othersTurn(platen, performance.now() - began);
    } catch (fault) {
      const locked = lockedOut(fault);
      const refused = locked ? all.filter((one) => isOutOfPatience(platen, one)) : group;
      all.splice(0, refused.length);
      for (const { promise } of refused) promise.reject(locked ?? fault);
      if (locked) await nextLook(platen);
    }
  }
  queue.isUnderWay = false;
}

function isOutOfPatience(platen: Platen, one: Waiting): boolean {
  one.since ??= awake(platen);
  return one.since < awake(platen) - patience(platen);
}

function othersTurn(platen: Platen, kept: number): Promise<unknown> {
  return platen.isCommand ? Bun.sleep(Math.ceil(kept)) : new Promise(setImmediate);
}

/** Of the first of them, as many as are done together. @throws what they were kept from beginning by */
function outcomesOf(platen: Platen, group: Waiting[]): (() => void)[] {
  const [first, second] = group as [Waiting, ...Waiting[]];
  if (!second) return [outcomeAlone(platen, first)];
  const began = performance.now();
  const outcomes: (() => void)[] = [];
  try {
    inTransaction(platen, () => {
      for (const one of group) {
        outcomes.push(outcome(platen, one));
        if (!platen.db.$client.inTransaction) throw new Error("SQLite has undone all of it.");
        if (platen.isCommand && performance.now() - began > COMMAND_KEEPS_LOCK) break;
      }
    });
    return outcomes;
  } catch (fault) {
    if (outcomes.length === 0) throw fault;
    return group.map((one) => outcome(platen, one));
  }
}

function outcomeAlone(platen: Platen, { work, promise }: Waiting): () => void {
  let hasBegun = false;
  try {
    const result = inTransaction(platen, () => {
      hasBegun = true;
      return work();
    });
    return () => promise.resolve(result);
  } catch (fault) {
    if (!hasBegun && lockedOut(fault)) throw fault;
    return () => promise.reject(fault);
  }
}

function outcome(platen: Platen, { work, promise }: Waiting): () => void {
  try {
    const result = inTransaction(platen, work);
    return () => promise.resolve(result);
  } catch (fault) {
    return () => promise.reject(fault);
  }
}

/**
 * One unit of work that is not waited for to reach the disk: a power cut may undo it, whole, but nothing that was
 * acknowledged before or after it. For what can be done again. Not to be called inside another transaction.
 */
export function inUnsyncedTransaction<Result>(platen: Platen, work: () => NoPromise<Result>): Result {
  const { $client } = platen.db;
  const { synchronous } = $client.query("PRAGMA synchronous").get() as { synchronous: number };
  $client.run("PRAGMA synchronous = NORMAL");
  try {
    return inTransaction(platen, work);
  } finally {
    $client.run(`PRAGMA synchronous = ${synchronous}`);
  }
}

/**
 * As long as the work goes on, no commit waits for the disk: a power cut may undo the last of them, but nothing that
 * another process has acknowledged. The next commit after it waits for the disk, and brings all of them there. For a
 * command that can be repeated.
 */
export async function unsynced<Result>(
  { db: { $client } }: Platen,
  work: () => Promise<Result>,
): Promise<Result> {
  $client.run("PRAGMA synchronous = NORMAL");
  try {
    return await work();
  } finally {
    $client.run("PRAGMA synchronous = FULL");
  }
}
