import { Database as Sqlite } from "bun:sqlite";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { chownToFolderOwner, linkOrCopy, syncPath, timestampName } from "../../runtime/files";
import { clearDamageMark } from "./damaged-database";

const WAL_FILES = ["platen.db-wal", "platen.db-shm"];
const DATABASE_FILES = ["platen.db", ...WAL_FILES];

const missingRows = (table: string) =>
  `SELECT count(*) AS n FROM ${table} WHERE id NOT IN (SELECT id FROM older.${table})`;
const LOSS_QUERIES = {
  posts: missingRows("posts"),
  changedPosts:
    "SELECT count(*) AS n FROM posts JOIN older.posts AS old USING (id) WHERE posts.updated_at <> old.updated_at",
  komments: missingRows("komments"),
  messages: missingRows("messages"),
  uploads: missingRows("blobs"),
};

type Loss = Record<keyof typeof LOSS_QUERIES, number | null>;

export function countLoss(folder: string, older: string): Loss {
  const file = join(folder, "platen.db");
  const count = (query: string): number | null => {
    let client: Sqlite | undefined;
    try {
      // Opening an empty database would delete its WAL.
      if (!statSync(file, { throwIfNoEntry: false })?.size) return null;
      client = new Sqlite(file, { readonly: true });
      client.run("ATTACH ? AS older", [older]);
      return client.query<{ n: number }, []>(query).get()?.n ?? null;
    } catch {
      return null;
    } finally {
      client?.close(false);
    }
  };
  return Object.fromEntries(
    Object.entries(LOSS_QUERIES).map(([name, query]) => [name, count(query)]),
  ) as unknown as Loss;
}

/**
 * Replaces the database with a copy of an older one, and moves the current files to a new folder. After a
 * crash, each file is in its place or in that folder. The data folder must not be served.
 * @param prefix beginning of the new folder's name; the time follows
 * @returns the new folder
 */
export function replaceDatabase(folder: string, older: string, prefix: string, at: Date): string {
  const fresh = join(folder, ".recovered.db");
  rmSync(fresh, { force: true });
  copyFileSync(older, fresh);
  chownToFolderOwner(folder, fresh);
  syncPath(fresh);
  const oldFiles = join(folder, `${prefix}-${timestampName(at)}`);
  mkdirSync(oldFiles, { mode: 0o700 });
  chownToFolderOwner(folder, oldFiles);
  for (const name of DATABASE_FILES.filter((name) => existsSync(join(folder, name))))
    linkOrCopy(join(folder, name), join(oldFiles, name));
  for (const path of [oldFiles, folder]) syncPath(path);
  // The WAL of another database would damage the new one.
  for (const name of WAL_FILES) rmSync(join(folder, name), { force: true });
  syncPath(folder);
  renameSync(fresh, join(folder, "platen.db"));
  clearDamageMark(folder);
  syncPath(folder);
  return oldFiles;
}

export function describeLoss({ posts, changedPosts, komments, messages, uploads }: Loss): string {
  const number = (count: number | null, noun: string) =>
    `${count ?? "an unknown number of"} ${noun}${count === 1 ? "" : "s"}`;
  const lacking = [
    number(posts, "post"),
    number(komments, "komment"),
    number(messages, "message"),
    number(uploads, "upload"),
  ];
  return `lacks ${lacking.join(", ")}, and later changes to ${number(changedPosts, "post")}`;
}
