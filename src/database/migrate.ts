import { existsSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { DatabaseFault } from "../errors";
import type { Database } from "../platen";

/** Above the source in a checkout. Inside the executable all source is one file, and the folder lies beside it. */
const MIGRATIONS = join(import.meta.dir, Bun.isStandaloneExecutable ? "migrations" : "../../migrations");

/**
 * Applies the migrations that are missing, after a copy of a database that already holds something; all of them in one
 * transaction that takes the write lock first, so that two processes starting at once do not both apply them.
 * (drizzle's own `migrate` reads before it locks.)
 * @throws DatabaseFault where the database is newer than this program
 */
export function applyMigrations(db: Database, folder: string): void {
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS });
  const newest = Math.max(...migrations.map((migration) => migration.folderMillis));
  const applied = appliedMigrations(db);
  if (applied.some((moment) => moment > newest))
    throw new DatabaseFault(
      "This data folder was last used by a newer Platen. Start it with that version or a later one.",
    );
  if (applied.includes(newest)) return;
  if (applied.length > 0) keepCopy(db, join(folder, `platen-before-${newest}.db`));
  const applyMissing = () => {
    db.run(sql`CREATE TABLE IF NOT EXISTS __drizzle_migrations (hash TEXT NOT NULL, created_at NUMERIC)`);
    const done = appliedMigrations(db);
    for (const { folderMillis, hash, sql: statements } of migrations) {
      if (done.includes(folderMillis)) continue;
      for (const statement of statements) db.run(sql.raw(statement));
      db.run(sql`INSERT INTO __drizzle_migrations (hash, created_at) VALUES (${hash}, ${folderMillis})`);
    }
  };
  db.transaction(applyMissing, { behavior: "immediate" });
}

function appliedMigrations(db: Database): number[] {
  const hasTable = db.$client.query("SELECT 1 FROM sqlite_master WHERE name = '__drizzle_migrations'").get();
  if (!hasTable) return [];
  return db.$client
    .query<{ created_at: number }, []>("SELECT created_at FROM __drizzle_migrations")
    .all()
    .map((row) => Number(row.created_at));
}

function keepCopy(db: Database, path: string): void {
  if (!existsSync(path)) db.$client.run("VACUUM INTO ?", [path]);
}
