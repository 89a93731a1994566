import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MEGABYTE } from "../../config/units";
import { findDamage } from "../../database/verified-copy";
import { asDiskFull } from "../../errors";
import type { Platen } from "../../platen";
import { startChildCommand } from "../../runtime/child-command";
import { chownToFolderOwner } from "../../runtime/files";
import { clearDamageMark, markDamaged } from "./damaged-database";

/** A database of so many bytes, log included, is read through in a fraction of a second. */
const SMALL = 32 * MEGABYTE;

interface StartCheck {
  /** Once it is known whether the database is whole. */
  settled: Promise<void>;
  /** Known to be whole. */
  isWhole(): boolean;
  end(): Promise<void>;
}

/**
 * Looks for damage, in a process of its own where the database is large; closes a damaged one to writing.
 * @param onDamage what else is to end then
 */
export function startCheck(platen: Platen, onDamage: () => void, small = SMALL): StartCheck {
  let isWhole = false;
  const found = (damage: string | null) => {
    isWhole = damage === null;
    clearDamageMark(platen.config.data);
    if (damage === null) return;
    markDamaged(platen, damage);
    onDamage();
  };
  if (bytesOf(platen) <= small) {
    found(findDamage(platen.db.$client));
    return { settled: Promise.resolve(), isWhole: () => isWhole, end: async () => {} };
  }
  let isEnding = false;
  const { ended, end } = startChildCommand(platen, ["check", "--quick"]);
  const settled = ended.then(({ code, said }) => {
    if (isEnding) return;
    if (code === 0) found(null);
    else if (code === 1) found(said.replace(/\s+/g, " "));
    else platen.log(`The database could not be checked; type: platen check. ${said}`);
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

function bytesOf(platen: Platen): number {
  return ["platen.db", "platen.db-wal"]
    .map((name) => statSync(join(platen.config.data, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);
}

const MARK = ".stopped";

/**
 * Leaves a mark that no copy of the folder matches. After the last change. Where it cannot be written, on a full disk, the
 * next start reads the database through, no more.
 */
export function markCleanStop(folder: string): void {
  const mark = join(folder, MARK);
  try {
    writeFileSync(mark, stateOf(folder), { mode: 0o600 });
    chownToFolderOwner(folder, mark);
  } catch (fault) {
    if (!asDiskFull(fault)) throw fault;
  }
}

/**
 * May the database be torn? It may where the folder is a copy, was changed since the last server stopped, or was served by
 * one that did not stop in order. To be asked before the database is opened; takes the mark away.
 */
export function mayBeTorn(folder: string): boolean {
  if (!existsSync(join(folder, "platen.db"))) return false;
  const mark = join(folder, MARK);
  const isKnown = existsSync(mark) && readFileSync(mark, "utf8") === stateOf(folder);
  rmSync(mark, { force: true });
  return !isKnown;
}

/** Without opening the files: closing them again would give up SQLite's locks on them (fcntl(2)). */
function stateOf(folder: string): string {
  return ["platen.db", "platen.db-wal"]
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .map((file) => (file ? `${file.dev} ${file.ino} ${file.size}` : "none"))
    .join("\n");
}
