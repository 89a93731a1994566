import { Database as Sqlite } from "bun:sqlite";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { linkOrCopy, timestampName } from "../../media/files/copy-names-and-rights";
import { chownToFolderOwner, syncPath } from "../../runtime/files";
import { clearDamageMark } from "./damaged-database";

const LOG = ["platen.db-wal", "platen.db-shm"];
const DATABASE = ["platen.db", ...LOG];

/** What an older copy of the database lacks of it, as far as it can be read; null where it cannot. */
interface Loss {
  posts: number | null;
  /** There in both, and changed since. */
  changedPosts: number | null;
  komments: number | null;
  messages: number | null;
  uploads: number | null;
}

const NOT_THERE = (table: string) =>
  `SELECT count(*) AS n FROM ${table} WHERE id NOT IN (SELECT id FROM older.${table})`;
const QUESTIONS: Record<keyof Loss, string> = {
  posts: NOT_THERE("posts"),
  changedPosts:
    "SELECT count(*) AS n FROM posts JOIN older.posts AS old USING (id) WHERE posts.updated_at <> old.updated_at",
  komments: NOT_THERE("komments"),
  messages: NOT_THERE("messages"),
  uploads: NOT_THERE("blobs"),
};

/** @param older a database file */
export function countLoss(folder: string, older: string): Loss {
  const file = join(folder, "platen.db");
  const count = (question: string): number | null => {
    let client: Sqlite | undefined;
    try {
      // Opening an empty one would delete its log.
      if (!statSync(file, { throwIfNoEntry: false })?.size) return null;
      client = new Sqlite(file, { readonly: true });
      client.run("ATTACH ? AS older", [older]);
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
 * Puts a copy of an older database in the place of the folder's, whose files are kept. To be called while nobody serves it.
 * Killed at any moment, all of them are in the folder that is returned, or still in their place.
 * @param prefix what the folder's name begins with, before the date
 * @returns the folder of the files that were there
 */
export function replaceDatabase(folder: string, older: string, prefix: string, at: Date): string {
  const fresh = join(folder, ".recovered.db");
  rmSync(fresh, { force: true });
  copyFileSync(older, fresh);
  chownToFolderOwner(folder, fresh);
  syncPath(fresh);
  // 2026-11-21-093012, UTC
  const date = timestampName(at);
  const kept = join(folder, `${prefix}-${date}`);
  mkdirSync(kept, { mode: 0o700 });
  chownToFolderOwner(folder, kept);
  for (const name of DATABASE.filter((name) => existsSync(join(folder, name))))
    linkOrCopy(join(folder, name), join(kept, name));
  for (const path of [kept, folder]) syncPath(path);
  // Before the snapshot is there, which the log of another database would destroy.
  for (const name of LOG) rmSync(join(folder, name), { force: true });
  syncPath(folder);
  renameSync(fresh, join(folder, "platen.db"));
  clearDamageMark(folder);
  syncPath(folder);
  return kept;
}

/** When a copy was made; null where there is none. */
export function timeOfDatabaseCopy(file: string): Date | null {
  return statSync(file, { throwIfNoEntry: false })?.mtime ?? null;
}

/** "lacks 2 posts, 0 komments, …" */
export function describeLoss({ posts, changedPosts, komments, messages, uploads }: Loss): string {
  const number = (count: number | null, noun: string) =>
    `${count ?? "an unknown number of"} ${noun}${count === 1 ? "" : "s"}`;
  const lacking = [
    number(posts, "post"),
    number(komments, "komment"),
    number(messages, "message"),
    number(uploads, "upload"),
  ];
  return `lacks ${lacking.join(", ")}, and what was changed since in ${number(changedPosts, "post")}`;
}
