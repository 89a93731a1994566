import { existsSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "drizzle-orm/bun-sqlite/migrator";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Database } from "./open";

/** Above the source in a checkout. Inside the executable all source is one file, and the folder lies beside it. */
const MIGRATIONS = join(import.meta.dir, Bun.isStandaloneExecutable ? "migrations" : "../../migrations");

/** The database cannot be used as it is; the message says why and what to do. */
export class DatabaseFault extends Error {}

/**
 * Applies the migrations that are missing, after a copy of a database that already holds something.
 * @throws DatabaseFault where the database is newer than this program
 */
export function bringUpToDate(db: Database, folder: string): void {
  const known = readMigrationFiles({ migrationsFolder: MIGRATIONS }).map(
    (migration) => migration.folderMillis,
  );
  const applied = appliedMigrations(db);
  const newest = Math.max(...known);
  if (applied.some((moment) => moment > newest))
    throw new DatabaseFault(
      "This data folder was last used by a newer Platen. Start it with that version or a later one.",
    );
  if (applied.includes(newest)) return;
  if (applied.length > 0) keepCopy(db, join(folder, `platen-before-${newest}.db`));
  migrate(db, { migrationsFolder: MIGRATIONS });
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
