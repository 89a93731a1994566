import type { Database as Sqlite } from "bun:sqlite";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type * as schema from "./schema";

export type Database = BunSQLiteDatabase<typeof schema> & { $client: Sqlite };
/** A database or a transaction on it: what a step inside a unit of work is handed. */
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0] | Database;

/** One unit of work, whole or not at all. Takes the write lock at once, so that what it reads stays true. */
export function inTransaction<Result>(db: Transaction, work: (tx: Transaction) => Result): Result {
  return db.transaction(work, { behavior: "immediate" });
}

/**
 * One unit of work that is not waited for to reach the disk: a power cut may undo it, whole, and nothing that was
 * acknowledged before or after it. For what can be done again; not inside another transaction.
 */
export function inUnsyncedTransaction<Result>(db: Database, work: (tx: Transaction) => Result): Result {
  db.$client.run("PRAGMA synchronous = NORMAL");
  try {
    return inTransaction(db, work);
  } finally {
    db.$client.run("PRAGMA synchronous = FULL");
  }
}
