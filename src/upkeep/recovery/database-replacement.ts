import { Database as Sqlite } from "bun:sqlite";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { chownToFolderOwner, fileSize, linkOrCopy, syncPath, timestampName } from "../../runtime/files";
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
      if (!fileSize(file)) return null;
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
  skipLostIds(fresh);
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

const LOST_IDS = 1000;

/**
 * Keeps new rows from getting ids of rows that the older database lacks. Otherwise, feed readers, followers'
 * servers and mail programs would take new posts and mails for the lost ones.
 */
export function skipLostIds(file: string): void {
  const { atime, mtime } = statSync(file);
  const client = new Sqlite(file);
  try {
    client.run(
      `INSERT INTO sqlite_sequence SELECT name, 0 FROM sqlite_master
       WHERE sql LIKE '%AUTOINCREMENT%' AND name NOT IN (SELECT name FROM sqlite_sequence)`,
    );
    client.run("UPDATE sqlite_sequence SET seq = seq + ?", [LOST_IDS]);
  } finally {
    client.close(false);
  }
  // The server reads from this time how old the restored database is (see `clockWatch`).
  utimesSync(file, atime, mtime);
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
