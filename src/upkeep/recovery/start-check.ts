import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MEGABYTE } from "../../config/units";
import { findDamage } from "../../database/verified-copy";
import { asDiskFull } from "../../errors";
import type { Platen } from "../../platen";
import { startChildCommand } from "../../runtime/child-command";
import { chownToFolderOwner } from "../../runtime/files";
import { clearDamageMark, markDamaged } from "./damaged-database";

const DATABASE_FILES = ["platen.db", "platen.db-wal"];
const CLEAN_STOP_MARK = ".stopped";
/** A smaller database, with its WAL, is checked in the server itself: that takes a fraction of a second. */
const MAX_INLINE_CHECK_BYTES = 32 * MEGABYTE;

/** Marks that the last server stopped cleanly. A copy of the folder does not match the mark. Call after the last write. */
export function markCleanStop(folder: string): void {
  const mark = join(folder, CLEAN_STOP_MARK);
  try {
    writeFileSync(mark, fileIdentities(folder), { mode: 0o600 });
    chownToFolderOwner(folder, mark);
  } catch (error) {
    // Without the mark the next start checks the database, no more.
    if (!asDiskFull(error)) throw error;
  }
}

/**
 * Whether the database needs a check: the folder is a copy, was changed since the last stop, or the server crashed.
 * Removes the mark. Call before the database is opened.
 */
export function mayBeTorn(folder: string): boolean {
  if (!existsSync(join(folder, "platen.db"))) return false;
  const mark = join(folder, CLEAN_STOP_MARK);
  const isClean = existsSync(mark) && readFileSync(mark, "utf8") === fileIdentities(folder);
  rmSync(mark, { force: true });
  return !isClean;
}

/** Does not open the files: closing them would release SQLite's locks (fcntl(2)). */
function fileIdentities(folder: string): string {
  return DATABASE_FILES.map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .map((file) => (file ? `${file.dev} ${file.ino} ${file.size}` : "none"))
    .join("\n");
}

interface StartCheck {
  settled: Promise<void>;
  /** False until the database was checked. */
  isWhole(): boolean;
  end(): Promise<void>;
}

/** Checks the database, a large one in a child process, and makes a damaged one read-only. */
export function startCheck(
  platen: Platen,
  onDamage: () => void,
  maxInlineBytes = MAX_INLINE_CHECK_BYTES,
): StartCheck {
  let isWhole = false;
  const finish = (damage: string | null) => {
    isWhole = damage === null;
    clearDamageMark(platen.config.data);
    if (damage === null) return;
    markDamaged(platen, damage);
    onDamage();
  };
  if (databaseBytes(platen) <= maxInlineBytes) {
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
    else platen.log(`The database could not be checked; type: platen check. ${output}`);
  });
  return {
    settled,
    isWhole: () => isWhole,
    async end() {
      isEnding = true;
      end();
      await settled;
    },
  };
}

function databaseBytes({ config: { data } }: Platen): number {
  const sizes = DATABASE_FILES.map(
    (name) => statSync(join(data, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
