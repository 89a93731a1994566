import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noRoom } from "../../errors";
import { giveToOwnerOf } from "../../runtime/file-owner";

const MARK = ".stopped";

/**
 * Leaves a mark that no copy of the folder matches. After the last change. Where it cannot be written, on a full disk, the
 * next start reads the database through, no more.
 */
export function markCleanStop(folder: string): void {
  const mark = join(folder, MARK);
  try {
    writeFileSync(mark, stateOf(folder), { mode: 0o600 });
    giveToOwnerOf(folder, mark);
  } catch (fault) {
    if (!noRoom(fault)) throw fault;
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
