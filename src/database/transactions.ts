import type { Database as Sqlite } from "bun:sqlite";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Platen } from "../platen";
import type * as schema from "./schema";

export type Database = BunSQLiteDatabase<typeof schema> & { $client: Sqlite };
/** The database as functions took it before they took `platen`; goes when the last of them is changed. */
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0] | Database;

/** What a unit of work may return. A promise's rest would run after the commit: the types refuse it. */
type Immediate<Result> = Result extends PromiseLike<unknown> ? never : Result;

/**
 * One unit of work, whole or not at all: an exception inside undoes everything and goes on to the caller.
 * There is one connection to the database, so whatever `work` and the functions it calls do through `platen.db` belongs
 * to the transaction. Takes the write lock at once, so that what is read inside stays true until the end.
 * Inside another transaction it becomes part of that one: an exception undoes what was done inside this call, and where
 * it is not caught on the way, the outer transaction too.
 */
export function inTransaction<Result>(platen: Platen, work: () => Immediate<Result>): Result;
/** The form before it took `platen`; goes when the last caller is changed. */
export function inTransaction<Result>(db: Transaction, work: (tx: Transaction) => Result): Result;
export function inTransaction<Result>(
  place: Platen | Transaction,
  work: (tx: Transaction) => Result,
): Result {
  const db = "db" in place ? place.db : place;
  return db.transaction(work, { behavior: "immediate" });
}

/**
 * One unit of work that is not waited for to reach the disk: a power cut may undo it, whole, and nothing that was
 * acknowledged before or after it. For what can be done again; not inside another transaction.
 */
export function inUnsyncedTransaction<Result>(platen: Platen, work: () => Immediate<Result>): Result;
/** The form before it took `platen`; goes when the last caller is changed. */
export function inUnsyncedTransaction<Result>(db: Database, work: (tx: Transaction) => Result): Result;
export function inUnsyncedTransaction<Result>(
  place: Platen | Database,
  work: (tx: Transaction) => Result,
): Result {
  const db = "db" in place ? place.db : place;
  db.$client.run("PRAGMA synchronous = NORMAL");
  try {
    return inTransaction(db, work);
  } finally {
    db.$client.run("PRAGMA synchronous = FULL");
  }
}
