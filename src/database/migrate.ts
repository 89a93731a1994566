import { Database as Sqlite } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { DatabaseError } from "../errors";
import type { Database } from "../platen";
import { replaceWithVerifiedCopy } from "./verified-copy";

/** Above the source in a checkout. Inside the executable all source is one file, and the folder lies beside it. */
const MIGRATIONS = join(import.meta.dir, Bun.isStandaloneExecutable ? "migrations" : "../../migrations");

/**
 * Applies the migrations that are missing, after a copy of a database that already holds something; all of them in one
 * transaction that takes the write lock first, so that two processes starting at once do not both apply them.
 * (drizzle's own `migrate` reads before it locks.)
 * @param keepOthersOff called before a database that holds something is changed; what it returns is called after
 * @throws DatabaseError where the database is newer than this program, or damaged and to be brought up to date
 */
export function applyMigrations(db: Database, folder: string, keepOthersOff: () => () => void): void {
  const newest = newestMigration();
  const applied = appliedMigrations(db);
  if (applied.some((moment) => moment > newest))
    throw new DatabaseError(
      "This data folder was last used by a newer Platen. Start it with that version or a later one.",
    );
  if (applied.includes(newest)) return;
  // Another process, which started at the same time, may have done it meanwhile.
  const isDone = () => appliedMigrations(db).includes(newest);
  const letOthersIn = applied.length > 0 ? keptOff(keepOthersOff, isDone) : () => {};
  try {
    if (isDone()) return;
    if (applied.length > 0) keepCopy(db, folder, newest);
    applyMissing(db);
  } finally {
    letOthersIn();
  }
}

function keptOff(keepOthersOff: () => () => void, isDone: () => boolean): () => void {
  try {
    return keepOthersOff();
  } catch (fault) {
    // Whoever did it may serve the folder by now.
    if (isDone()) return () => {};
    throw fault;
  }
}

/** When it was made, in milliseconds since 1970. */
function newestMigration(): number {
  const { entries } = JSON.parse(readFileSync(join(MIGRATIONS, "meta/_journal.json"), "utf8"));
  return Math.max(...entries.map(({ when }: { when: number }) => when));
}

/** What reads them is loaded where some are missing: it would be a tenth of the time of every start. */
function readMigrations() {
  const { readMigrationFiles } = require("drizzle-orm/migrator") as typeof import("drizzle-orm/migrator");
  return readMigrationFiles({ migrationsFolder: MIGRATIONS });
}

function applyMissing(db: Database): void {
  const apply = () => {
    db.run(sql`CREATE TABLE IF NOT EXISTS __drizzle_migrations (hash TEXT NOT NULL, created_at NUMERIC)`);
    const done = appliedMigrations(db);
    for (const { folderMillis, hash, sql: statements } of readMigrations()) {
      if (done.includes(folderMillis)) continue;
      for (const statement of statements) db.run(sql.raw(statement));
      db.run(sql`INSERT INTO __drizzle_migrations (hash, created_at) VALUES (${hash}, ${folderMillis})`);
    }
  };
  db.transaction(apply, { behavior: "immediate" });
}

function appliedMigrations(db: Database): number[] {
  const hasTable = db.$client.query("SELECT 1 FROM sqlite_master WHERE name = '__drizzle_migrations'").get();
  if (!hasTable) return [];
  return db.$client
    .query<{ created_at: number }, []>("SELECT created_at FROM __drizzle_migrations")
    .all()
    .map((row) => Number(row.created_at));
}

/**
 * The database as it is before it is brought up to date, for `platen rollback`: anew each time, for an older Platen may
 * have written meanwhile. Not where another process, which started at the same time, has brought it up to date already.
 */
function keepCopy(db: Database, folder: string, newest: number): void {
  const isOlder = (file: string) => {
    const written = drizzle(new Sqlite(file, { readonly: true }));
    try {
      return !appliedMigrations(written).includes(newest);
    } finally {
      written.$client.close(false);
    }
  };
  try {
    replaceWithVerifiedCopy(db.$client, join(folder, `${BEFORE}${newest}.db`), (file) => {
      if (!isOlder(file)) throw new UpToDate();
    });
  } catch (fault) {
    if (fault instanceof DatabaseError)
      throw new DatabaseError(`${fault.message} and cannot be brought up to date; type: platen recover`);
    if (!(fault instanceof UpToDate)) throw fault;
  }
}

class UpToDate extends Error {}

const BEFORE = "platen-before-";

/** Is this the name of a copy that was kept? The newest is the last in their order. */
export function isCopyBeforeMigration(name: string): boolean {
  return name.startsWith(BEFORE) && name.endsWith(".db");
}
