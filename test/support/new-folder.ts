import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finishedDatabase } from "../../packaging/finished-database";
import { CHECKOUT } from "./source";

const MIGRATIONS = join(CHECKOUT, "migrations");

/**
 * A migrated database like the executable's, because migrations take two thirds of a start. It is kept for the
 * next test files and runs.
 */
function readFinishedDatabase(): Uint8Array {
  const hash = new Bun.CryptoHasher("sha256");
  for (const name of readdirSync(MIGRATIONS).toSorted())
    if (name.endsWith(".sql")) hash.update(readFileSync(join(MIGRATIONS, name)));
  const folder = join(CHECKOUT, "node_modules/.cache/platen-tests");
  const file = join(folder, `${hash.digest("hex")}.db`);
  if (existsSync(file)) return readFileSync(file);
  const database = finishedDatabase();
  mkdirSync(folder, { recursive: true });
  // Renamed, because other test files may be reading it.
  writeFileSync(`${file}.${process.pid}`, database);
  renameSync(`${file}.${process.pid}`, file);
  return database;
}
let finished: Uint8Array | null = null;

/** Writes a database into a new data folder, so that nothing has to be migrated. */
export function writeFinishedDatabase(folder: string): void {
  finished ??= readFinishedDatabase();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "platen.db"), finished, { mode: 0o600 });
}
