import { Database as Sqlite } from "bun:sqlite";
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { giveToOwnerOf } from "../../database/open";
import { dateInName } from "../../media/files/kept-copies";
import { syncPath } from "../../media/files/media-folder";
import { snapshotFile } from "./snapshot-file";
import { damageIn, takeDamageMark } from "./wholeness";

const LOG = ["platen.db-wal", "platen.db-shm"];
const DATABASE = ["platen.db", ...LOG];

/** What a snapshot lacks of the torn database, as far as that can be read; null where it cannot. */
export interface Loss {
  posts: number | null;
  /** There in both, and changed since. */
  changedPosts: number | null;
  komments: number | null;
  messages: number | null;
  uploads: number | null;
}

const NOT_THERE = (table: string) =>
  `SELECT count(*) AS n FROM ${table} WHERE id NOT IN (SELECT id FROM snapshot.${table})`;
const QUESTIONS: Record<keyof Loss, string> = {
  posts: NOT_THERE("posts"),
  changedPosts:
    "SELECT count(*) AS n FROM posts JOIN snapshot.posts AS old USING (id) WHERE posts.updated_at <> old.updated_at",
  komments: NOT_THERE("komments"),
  messages: NOT_THERE("messages"),
  uploads: NOT_THERE("blobs"),
};

/** What is wrong with a database file; null where it is whole. */
export function damageInFile(file: string): string | null {
  let client: Sqlite | undefined;
  try {
    client = new Sqlite(file, { readonly: true });
    return damageIn(client);
  } catch (fault) {
    return (fault as Error).message;
  } finally {
    client?.close(false);
  }
}

export function lossBySnapshot(folder: string): Loss {
  const count = (question: string): number | null => {
    let client: Sqlite | undefined;
    try {
      client = new Sqlite(join(folder, "platen.db"), { readonly: true });
      client.run("ATTACH ? AS snapshot", [snapshotFile(folder)]);
      return client.query<{ n: number }, []>(question).get()?.n ?? null;
    } catch {
      return null;
    } finally {
      client?.close(false);
    }
  };
  return Object.fromEntries(
    Object.entries(QUESTIONS).map(([name, question]) => [name, count(question)]),
  ) as unknown as Loss;
}

/**
 * Puts the snapshot in the place of the database, whose files are kept. To be called while nobody serves the folder.
 * Killed at any moment, all of them are in the folder that is returned, or still in their place.
 * @returns the folder of the files that were there
 */
export function putSnapshotInPlace(folder: string, at: Date): string {
  const fresh = join(folder, ".recovered.db");
  rmSync(fresh, { force: true });
  copyFileSync(snapshotFile(folder), fresh);
  giveToOwnerOf(folder, fresh);
  syncPath(fresh);
  // 2026-11-21-093012, UTC
  const date = dateInName(at);
  const kept = join(folder, `torn-${date}`);
  mkdirSync(kept, { mode: 0o700 });
  giveToOwnerOf(folder, kept);
  for (const name of DATABASE.filter((name) => existsSync(join(folder, name))))
    linkFile(join(folder, name), join(kept, name));
  for (const path of [kept, folder]) syncPath(path);
  // Before the snapshot is there, which the log of another database would destroy.
  for (const name of LOG) rmSync(join(folder, name), { force: true });
  syncPath(folder);
  renameSync(fresh, join(folder, "platen.db"));
  takeDamageMark(folder);
  syncPath(folder);
  return kept;
}

/** Linked, or copied where the file system has no links. */
function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    syncPath(to);
  }
}

export function snapshotTime(folder: string): Date | null {
  return statSync(snapshotFile(folder), { throwIfNoEntry: false })?.mtime ?? null;
}
