import type { Platen } from "../platen";

/** What a unit of work may give: no promise, for what it still has to do would run after the commit. */
type NoPromise<Result> = Result extends PromiseLike<unknown> ? never : Result;

/**
 * One unit of work, whole or not at all: an exception inside undoes everything and goes on to the caller.
 * A Platen has one connection to its database, so all that `work` and the functions it calls do through `platen.db`
 * belongs to the transaction. It takes the write lock at once, so that what is read inside stays true until the end.
 * Inside another transaction it is a part of that one (a savepoint): an exception that is caught on its way out undoes
 * this part only.
 */
export function inTransaction<Result>({ db }: Platen, work: () => NoPromise<Result>): Result {
  return db.transaction(work, { behavior: "immediate" });
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
