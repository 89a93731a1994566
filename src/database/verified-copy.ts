import { Database as Sqlite } from "bun:sqlite";
import { chmodSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseError } from "../errors";
import { chownToFolderOwner, syncPath } from "../runtime/files";

const EMPTY = "it is empty";
const MAX_DAMAGE_LENGTH = 200;

export function findDamage(client: Sqlite): string | null {
  try {
    const [found] = runPageCheck(client, "quick_check(1)");
    if (found !== "ok") return shortenDamage(found ?? "it holds nothing");
    const pages = client.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count;
    return pages === 0 ? EMPTY : null;
  } catch (error) {
    return shortenDamage(error instanceof Error ? error.message : String(error));
  }
}

/**
 * FTS5 caches segments, so a query in the same transaction refreshes the cache before the check.
 * @returns ["ok"], or one line per problem
 */
export function runPageCheck(client: Sqlite, check: "quick_check(1)" | "integrity_check"): string[] {
  return client.transaction(() => {
    try {
      client.query("SELECT 1 FROM post_search LIMIT 1").get();
    } catch {
      // The index is missing, or the check reports its damage.
    }
    return client.query<unknown, []>(`PRAGMA ${check}`).values().flat() as string[];
  })();
}

function shortenDamage(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_DAMAGE_LENGTH ? `${line.slice(0, MAX_DAMAGE_LENGTH)}…` : line;
}

/** An empty file is not opened, because SQLite would delete its WAL. */
export function findDamageInFile(file: string): string | null {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (!size) return size === 0 ? EMPTY : "it is missing";
  let client: Sqlite | undefined;
  try {
    client = new Sqlite(file, { readonly: true });
    return findDamage(client);
  } catch (error) {
    return (error as Error).message;
  } finally {
    client?.close(false);
  }
}

/** Does not block writers. @throws DatabaseError if the database or the copy is damaged */
export function writeVerifiedCopy(client: Sqlite, file: string): void {
  // VACUUM of a damaged database can produce an intact copy that lacks rows.
  assertUndamaged(findDamage(client), "platen.db");
  client.run("VACUUM INTO ?", [file]);
  assertUndamaged(findDamageInFile(file), "what was written");
  syncPath(file);
}

/**
 * The old file stays until the copy is on the disk.
 * @throws DatabaseError if the database or the copy is damaged
 */
export function replaceWithVerifiedCopy(client: Sqlite, file: string): void {
  const folder = dirname(file);
  const unfinished = join(folder, `.${basename(file)}`);
  rmSync(unfinished, { force: true });
  try {
    writeVerifiedCopy(client, unfinished);
    chmodSync(unfinished, 0o600);
    chownToFolderOwner(folder, unfinished);
    renameSync(unfinished, file);
    syncPath(folder);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function assertUndamaged(damage: string | null, name: string): void {
  if (damage !== null) throw new DatabaseError(`${name} is damaged (${damage})`);
}
