import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { DatabaseError } from "../errors";
import type { Database } from "../platen";
import { replaceWithVerifiedCopy } from "./verified-copy";

const MIGRATIONS = join(import.meta.dir, Bun.isStandaloneExecutable ? "migrations" : "../../migrations");

const COPY_PREFIX = "platen-before-";

/**
 * Applies missing migrations in one transaction, after copying an existing database. Unlike drizzle's
 * `migrate`, reads the applied migrations under the write lock, so two processes never both apply one.
 * @param keepOthersOff locks an existing database before the copy, and returns a function that unlocks it
 * @throws DatabaseError, for example if the database is newer than this program
 */
export function applyMigrations(db: Database, folder: string, keepOthersOff: () => () => void): void {
  const { entries } = JSON.parse(readFileSync(join(MIGRATIONS, "meta/_journal.json"), "utf8"));
  const newest = Math.max(...entries.map(({ when }: { when: number }) => when));
  const applied = appliedMigrations(db);
  if (applied.some((time) => time > newest))
    throw new DatabaseError(
      "This data folder was last used by a newer Platen. Start it with that version or a later one.",
    );
  if (applied.includes(newest)) return;
  // Another process may finish the migration first.
  const isDone = () => appliedMigrations(db).includes(newest);
  const release = applied.length > 0 ? lockUnlessDone(keepOthersOff, isDone) : () => {};
  try {
    if (isDone()) return;
    if (applied.length > 0) copyBeforeMigration(db, folder, newest);
    applyMissing(db);
  } finally {
    release();
  }
}

function lockUnlessDone(keepOthersOff: () => () => void, isDone: () => boolean): () => void {
  try {
    return keepOthersOff();
  } catch (error) {
    // The process that migrated the folder may be serving it already.
    if (isDone()) return () => {};
    throw error;
  }
}

/** Loads drizzle's migrator on demand, for a fast start. */
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

/** Replaces the copy of an earlier attempt, which may be out of date. */
function copyBeforeMigration(db: Database, folder: string, newest: number): void {
  try {
    replaceWithVerifiedCopy(db.$client, join(folder, `${COPY_PREFIX}${newest}.db`));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new DatabaseError(`${error.message} and cannot be upgraded; run: platen recover`);
  }
}

/** In alphabetical order, the newest copy is last. */
export function isCopyBeforeMigration(name: string): boolean {
  return name.startsWith(COPY_PREFIX) && name.endsWith(".db");
}
