import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasAccounts } from "../../accounts/accounts";
import { MEGABYTE } from "../../config/units";
import { findDamage } from "../../database/verified-copy";
import { asDiskFull, DatabaseError } from "../../errors";
import { FOLDER_NAME } from "../../media/files/media-folder";
import type { Database, Platen } from "../../platen";
import { startChildCommand } from "../../runtime/child-command";
import { chownToFolderOwner, fileSize, namesIn } from "../../runtime/files";
import { snapshotFile } from "./snapshots";

const DATABASE_FILES = ["platen.db", "platen.db-wal"];
const CLEAN_STOP_MARK = ".stopped";
/** Size of database and WAL. Checking this much takes a fraction of a second. */
const MAX_INLINE_CHECK_BYTES = 32 * MEGABYTE;
const DAMAGE_MARK = ".damaged";

/**
 * Call this before opening the database, because SQLite deletes the WAL of an empty or new database.
 * @throws DatabaseError if the folder has lost its database
 */
export function assertDatabaseNotLost(folder: string): void {
  const size = fileSize(join(folder, "platen.db"));
  if (size) return;
  const state = size === 0 ? "empty" : "missing";
  if (fileSize(join(folder, "platen.db-wal")))
    throw new DatabaseError(
      `${join(folder, "platen.db")} is ${state}, but platen.db-wal contains recent changes. ${recoveryAdvice(folder)}; leave platen.db-wal in place.`,
    );
  const uploads = countUploads(folder);
  if (uploads > 0) throw lostDatabaseError(folder, uploads);
}

/** @throws DatabaseError if there are uploads but no account, because then the uploads' database was lost */
export function assertUploadsHaveAccount(platen: Platen): void {
  const { data } = platen.config;
  const uploads = hasAccounts(platen) ? 0 : countUploads(data);
  if (uploads > 0) throw lostDatabaseError(data, uploads);
}

function lostDatabaseError(folder: string, uploads: number): DatabaseError {
  return new DatabaseError(
    `${folder}/media contains uploads (${uploads}), but platen.db contains no account: the database of these uploads is lost. ${recoveryAdvice(folder)}; to start over, move the folder media elsewhere.`,
  );
}

function recoveryAdvice(folder: string): string {
  const advice = "restore platen.db from a copy of the folder";
  return existsSync(snapshotFile(folder)) ? `Run: platen recover, or ${advice}` : `R${advice.slice(1)}`;
}

function countUploads(folder: string): number {
  return namesIn(join(folder, "media")).filter((name) => FOLDER_NAME.test(name)).length;
}

/** Call this after the last write. In a copy of the folder, the mark is invalid. */
export function markCleanStop(folder: string): void {
  const mark = join(folder, CLEAN_STOP_MARK);
  try {
    writeFileSync(mark, fileIdentities(folder), { mode: 0o600 });
    chownToFolderOwner(folder, mark);
  } catch (error) {
    // Without the mark, the next start checks the database.
    if (!asDiskFull(error)) throw error;
  }
}

/**
 * True if the database needs a check: after a crash, or if the folder was copied or changed since the stop.
 * Call this before the database is opened. Deletes the mark of the clean stop.
 */
export function mayBeTorn(folder: string): boolean {
  if (!existsSync(join(folder, "platen.db"))) return false;
  const mark = join(folder, CLEAN_STOP_MARK);
  const isClean = existsSync(mark) && readFileSync(mark, "utf8") === fileIdentities(folder);
  rmSync(mark, { force: true });
  return !isClean;
}

/** Does not open the files, because closing them would release SQLite's locks (fcntl(2)). */
function fileIdentities(folder: string): string {
  return DATABASE_FILES.map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .map((file) => (file ? `${file.dev} ${file.ino} ${file.size}` : "none"))
    .join("\n");
}

/** A damaged database becomes read-only. A large database is checked in a child process. */
export function startCheck(platen: Platen, onDamage: () => void, maxInlineBytes = MAX_INLINE_CHECK_BYTES) {
  let isWhole = false;
  const finish = (damage: string | null) => {
    isWhole = damage === null;
    clearDamageMark(platen.config.data);
    if (damage === null) return;
    markDamaged(platen, damage);
    onDamage();
  };
  const sizes = DATABASE_FILES.map((name) => fileSize(join(platen.config.data, name)) ?? 0);
  if (sizes.reduce((sum, size) => sum + size) <= maxInlineBytes) {
    finish(findDamage(platen.db.$client));
    return { settled: Promise.resolve(), isWhole: () => isWhole, end: async () => {} };
  }
  let isEnding = false;
  const { ended, end } = startChildCommand(platen, ["check", "--quick"]);
  const settled = ended.then(({ code, stdout, stderr }) => {
    if (isEnding) return;
    const output = `${stdout}${stderr}`.trim();
    if (code === 0) finish(null);
    else if (code === 1) finish(output.replace(/\s+/g, " "));
    else platen.log(`The database could not be checked; run: platen check. ${output}`);
  });
  return {
    settled,
    isWhole: () => isWhole,
    async end(): Promise<void> {
      isEnding = true;
      end();
      await settled;
    },
  };
}

const damageOf = new WeakMap<Platen, string>();

export function markDamaged(platen: Platen, damage: string): void {
  damageOf.set(platen, damage);
  makeReadOnly(platen.db);
  const { data } = platen.config;
  const mark = join(data, DAMAGE_MARK);
  writeFileSync(mark, `${damage}\n`, { mode: 0o600 });
  chownToFolderOwner(data, mark);
  platen.log(
    `The database is damaged (${damage}) and now read-only. Stop Platen and run: platen recover --data ${data}`,
  );
}

/**
 * SQLite would continue to write to a file that nobody finds again.
 * @returns whether the database has been moved or deleted since the start
 */
export function stopWritesIfMoved(platen: Platen): boolean {
  const { data } = platen.config;
  if (damageOf.has(platen) || fileSize(join(data, "platen.db")) !== undefined) return false;
  damageOf.set(platen, "its file was moved or deleted");
  makeReadOnly(platen.db);
  platen.log(
    `${join(data, "platen.db")} was moved or deleted, so nothing is saved any more. Stop Platen, and start it with the folder's new path.`,
  );
  return true;
}

export function makeReadOnly(db: Database): void {
  db.$client.run("PRAGMA query_only = ON");
}

/** True after a server found damage, until a check passes or the database is replaced. */
export function isMarkedDamaged(folder: string): boolean {
  return existsSync(join(folder, DAMAGE_MARK));
}

export function clearDamageMark(folder: string): void {
  rmSync(join(folder, DAMAGE_MARK), { force: true });
}

export function getDamage(platen: Platen): string | null {
  return damageOf.get(platen) ?? null;
}
