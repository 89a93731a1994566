import { lockedOut } from "../errors";
import type { Database, Platen } from "../platen";

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
export function inTransaction<Result>({ db }: Platen, work: () => NoPromise<Result>): Result {
  const around = toBeDoneLast.get(db);
  const last: (() => void)[] = [];
  toBeDoneLast.set(db, last);
  const whole = () => {
    const result = work();
    if (!around) for (const each of last) each();
    return result;
  };
  try {
    const result = db.transaction(whole, { behavior: "immediate" });
    around?.push(...last);
    return result;
  } catch (fault) {
    throw lockedOut(fault) ?? fault;
  } finally {
    if (around) toBeDoneLast.set(db, around);
    else toBeDoneLast.delete(db);
  }
}

/** Of the transaction, or the part of one, that is under way. */
const toBeDoneLast = new WeakMap<Database, (() => void)[]>();

/**
 * Does this at the end of the transaction, in the order it is asked for, unless the part that asks is undone. For what
 * costs less done together: the search index writes what it has been given at the end of every part.
 */
export function beforeCommit({ db }: Platen, work: () => void): void {
  const last = toBeDoneLast.get(db);
  if (last) last.push(work);
  else work();
}

/** Units of work that wait for the disk together; others wait for them, and go on after the next turn. */
const MOST_TOGETHER = 50;

/** One that waits for its turn's end. */
interface Waiting {
  work: () => unknown;
  promise: PromiseWithResolvers<unknown>;
}
const waiting = new WeakMap<Database, Waiting[]>();

/**
 * As inTransaction, together with all that comes in the same turn of the event loop: they wait for the disk once, and
 * each is a part of its own, so that an exception undoes its own only. Where everything is undone, since the disk is
 * full for instance, each is done again alone, and fares as it would have without the others. Where another process
 * keeps the lock for longer than one waits, all are refused: the process would stand still for as long again with each.
 * @param work may be done more than once; sees what those before it have written
 * @returns what it gave, once that is on the disk
 */
export function inSharedTransaction<Result>(platen: Platen, work: () => NoPromise<Result>): Promise<Result> {
  const promise = Promise.withResolvers<unknown>();
  const group = waiting.get(platen.db) ?? [];
  waiting.set(platen.db, group);
  if (group.push({ work, promise }) === 1) setImmediate(() => commitTogether(platen, group));
  return promise.promise as Promise<Result>;
}

function commitTogether(platen: Platen, all: Waiting[]): void {
  const group = all.splice(0, MOST_TOGETHER);
  if (all.length > 0) setImmediate(() => commitTogether(platen, all));
  const outcomes =
    (group.length > 1 && outcomesTogether(platen, group)) || group.map((one) => outcome(platen, one));
  for (const settle of outcomes) settle();
}

/** Undefined where all of it was undone. */
function outcomesTogether(platen: Platen, group: Waiting[]): (() => void)[] | undefined {
  let hasBegun = false;
  try {
    return inTransaction(platen, () => {
      hasBegun = true;
      return group.map((one) => {
        const settle = outcome(platen, one);
        if (!platen.db.$client.inTransaction) throw new Error("SQLite has undone all of it.");
        return settle;
      });
    });
  } catch (fault) {
    return hasBegun
      ? undefined
      : group.map(
          ({ promise }) =>
            () =>
              promise.reject(fault),
        );
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
  platen.db.$client.run("PRAGMA synchronous = NORMAL");
  try {
    return inTransaction(platen, work);
  } finally {
    platen.db.$client.run("PRAGMA synchronous = FULL");
  }
}
