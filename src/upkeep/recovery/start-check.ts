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
/** Maximum size, including the WAL, for a check in the server itself. It takes a fraction of a second. */
const MAX_INLINE_CHECK_BYTES = 32 * MEGABYTE;

/**
 * Records that the server stopped cleanly. Call after the last write. In a copy of the folder the mark is
 * invalid.
 */
export function markCleanStop(folder: string): void {
  const mark = join(folder, CLEAN_STOP_MARK);
  try {
    writeFileSync(mark, fileIdentities(folder), { mode: 0o600 });
    chownToFolderOwner(folder, mark);
  } catch (error) {
    // On a full disk the mark is missing, so the next start checks the database.
    if (!asDiskFull(error)) throw error;
  }
}

/**
 * Whether the database needs a check, because of a crash or because the folder was copied or changed since the
 * stop.
 * Removes the mark. Call before the database is opened.
 */
export function mayBeTorn(folder: string): boolean {
  if (!existsSync(join(folder, "platen.db"))) return false;
  const mark = join(folder, CLEAN_STOP_MARK);
  const isClean = existsSync(mark) && readFileSync(mark, "utf8") === fileIdentities(folder);
  rmSync(mark, { force: true });
  return !isClean;
}

/** Identifies files without opening them, because closing them would release SQLite's locks (fcntl(2)). */
function fileIdentities(folder: string): string {
  return DATABASE_FILES.map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .map((file) => (file ? `${file.dev} ${file.ino} ${file.size}` : "none"))
    .join("\n");
}

interface StartCheck {
  settled: Promise<void>;
  /** Whether the database has been checked and is intact. */
  isWhole(): boolean;
  end(): Promise<void>;
}

/** Checks the database and makes a damaged one read-only. A large one is checked in a child process. */
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
