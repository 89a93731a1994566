import { Database as Sqlite } from "bun:sqlite";
import { chmodSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseError } from "../errors";
import { chownToFolderOwner, syncPath } from "../runtime/files";

/** What is wrong with its pages, by SQLite's `quick_check`, which reads all of them; null where it is whole. */
export function findDamage(client: Sqlite): string | null {
  try {
    const [found] = runPageCheck(client, "quick_check(1)");
    if (found !== "ok") return shortened(found ?? "it holds nothing");
    const pages = client.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count;
    return pages === 0 ? EMPTY : null;
  } catch (fault) {
    return shortened(fault instanceof Error ? fault.message : String(fault));
  }
}

/**
 * What SQLite says of the pages; "ok" alone where they are whole. Without a question before it, in the same transaction,
 * FTS5 looks for the parts of the index that there were when this connection was asked last, and misses those that
 * another process has put together since.
 */
export function runPageCheck(client: Sqlite, check: "quick_check(1)" | "integrity_check"): string[] {
  return client.transaction(() => {
    try {
      client.query("SELECT 1 FROM post_search LIMIT 1").get();
    } catch {
      // There is none, or the check says what is wrong with it.
    }
    return client.query<unknown, []>(`PRAGMA ${check}`).values().flat() as string[];
  })();
}

const EMPTY = "it is empty";

/** SQLite may quote a page of what it could not read. */
const LONGEST_DAMAGE = 200;

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > LONGEST_DAMAGE ? `${line.slice(0, LONGEST_DAMAGE)}…` : line;
}

/** What is wrong with a database file; null where it is whole. One that is empty is not opened: SQLite would delete its log. */
export function findDamageInFile(file: string): string | null {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (!size) return size === 0 ? EMPTY : "it is missing";
  let client: Sqlite | undefined;
  try {
    client = new Sqlite(file, { readonly: true });
    return findDamage(client);
  } catch (fault) {
    return (fault as Error).message;
  } finally {
    client?.close(false);
  }
}

/**
 * Writes the database as it is at one moment to a file that is not there yet, and syncs it. Both are read through; nobody
 * is kept waiting.
 * @throws DatabaseError where the database, or what was written, is damaged
 */
export function writeVerifiedCopy(client: Sqlite, file: string): void {
  // What is torn can look whole when it is written anew, with rows missing.
  demandWhole(findDamage(client), "platen.db");
  client.run("VACUUM INTO ?", [file]);
  demandWhole(findDamageInFile(file), "what was written");
  syncPath(file);
}

/**
 * The same in the place of the file of this name, which stays until the new one is whole and on the disk.
 * @param check of what was written, besides; throws to keep the file of before
 * @throws DatabaseError
 */
export function replaceWithVerifiedCopy(
  client: Sqlite,
  file: string,
  check = (_written: string) => {},
): void {
  const folder = dirname(file);
  const unfinished = join(folder, `.${basename(file)}`);
  rmSync(unfinished, { force: true });
  try {
    writeVerifiedCopy(client, unfinished);
    check(unfinished);
    chmodSync(unfinished, 0o600);
    chownToFolderOwner(folder, unfinished);
    renameSync(unfinished, file);
    syncPath(folder);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function demandWhole(fault: string | null, name: string): void {
  if (fault !== null) throw new DatabaseError(`${name} is damaged (${fault})`);
}
