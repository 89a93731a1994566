import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Belongings, belongingsOf, countBelonging } from "../../database/belongings";
import { writtenVersion } from "../../database/data-version";
import { closeDatabase, openDatabase } from "../../database/open";
import { inTransaction } from "../../database/transactions";
import { notFound } from "../../errors";
import { dateInName, linkOrCopy, makeFolderLike, ownLike } from "../../media/files/kept-copies";
import { mediaFolder, newFolderName } from "../../media/files/media-folder";
import type { Platen } from "../../platen";
import { indexPost } from "../../posts/parts/search-index";
import { indexedText } from "../../posts/parts/search-text";
import { syncPath } from "../../synced-files";
import { disableWebhook, listWebhooks } from "../../webhooks/webhook-urls";
import { newWork, type RemovalWork } from "./removal-work";
import { removedFolder } from "./removed-media";

/** What is to be removed. */
export interface RemovedThing {
  table: "accounts" | "blogs";
  id: number;
  /** Whose it is, or who. */
  accountId: number;
  /** Of the copy, after the date. */
  name: string;
}

/** Each step comes after the one above. */
export interface Copy {
  /** Copies what is there; may take long, and others may write meanwhile. */
  fill(): void;
  /** Makes it whole where they did; inside the transaction that removes what is copied, before it does. */
  complete(): void;
  /** Gives it its name; the last thing before the commit. @returns its folder */
  keep(): string;
  /** Takes away what was not kept. */
  discard(): void;
}

/** They end with the removal; whoever starts on the copy makes new keys, and goes on with no job. */
const NOT_COPIED = [
  "sessions",
  "invitations",
  "two_factors",
  "passkeys",
  "recovery_codes",
  "keys",
  "key_blogs",
  "authorization_codes",
  "idempotent_answers",
  "jobs",
];

/**
 * Begins a copy of all that belongs to a blog or an account. It is a data folder of its own: every command, `serve` and
 * `check` among them, works on it, later versions bring it up to date as they do any folder, and any SQLite program
 * reads it.
 */
export function beginCopy(platen: Platen, thing: RemovedThing, work = newWork()): Copy {
  const belongings = belongingsOf(platen.db, thing.table, thing.id);
  if (!existsSync(removedFolder(platen))) makeFolderLike(platen.config.data, removedFolder(platen));
  const unfinished = removedFolder(platen, `.${newFolderName()}`);
  makeFolderLike(platen.config.data, unfinished);
  let version = "";
  const fill = () => {
    version = writtenVersion(platen);
    linkMedia(platen, belongings, unfinished);
    rmSync(join(unfinished, "platen.db"), { force: true });
    copyRows(platen, thing, belongings, unfinished, work);
  };
  return {
    fill() {
      makeFolderLike(platen.config.data, join(unfinished, "media"));
      fill();
    },
    complete() {
      if (countBelonging(platen.db, belongings, thing.table) === 0)
        throw notFound(thing.table === "blogs" ? "blog" : "account");
      if (writtenVersion(platen) !== version) fill();
    },
    keep: () => named(platen, unfinished, thing),
    discard: () => rmSync(unfinished, { recursive: true, force: true }),
  };
}

/** Each upload's folder, without the sizes, which are made when they are asked for. One that is linked already is not looked at. */
function linkMedia(platen: Platen, belongings: Belongings, into: string): void {
  const ofBlobs = `SELECT folder FROM blobs WHERE ${belongings.get("blobs")}`;
  for (const { folder } of platen.db.$client.query<{ folder: string }, []>(ofBlobs).all()) {
    const [from, to] = [mediaFolder(platen, folder), join(into, "media", folder)];
    if (existsSync(to) || !existsSync(from)) continue;
    makeFolderLike(platen.config.data, to);
    for (const entry of readdirSync(from, { withFileTypes: true }))
      if (entry.isFile()) linkFile(platen, join(from, entry.name), join(to, entry.name));
    syncPath(to);
  }
}

function linkFile(platen: Platen, from: string, to: string): void {
  linkOrCopy(from, to);
  ownLike(platen.config.data, to, 0o600);
}

function copyRows(
  platen: Platen,
  thing: RemovedThing,
  belongings: Belongings,
  folder: string,
  work: RemovalWork,
): void {
  const tables = [...belongings.keys()].filter((table) => !NOT_COPIED.includes(table));
  const rows = new Map(tables.map((table) => [table, countBelonging(platen.db, belongings, table)]));
  const posts = rows.get("posts") ?? 0;
  work.more(rows.values().reduce((sum, count) => sum + count, 0) + posts);
  const db = openDatabase(folder);
  try {
    const client = db.$client;
    // One file, without a log beside it; it is synced once, at the end.
    client.run("PRAGMA journal_mode = MEMORY");
    client.run("PRAGMA synchronous = OFF");
    client.run("ATTACH ? AS source", [join(platen.config.data, "platen.db")]);
    // The conditions name no schema, so what they ask for is asked of the copy, where the rows pointed to are already.
    const copy = (table: string, condition: string) =>
      client.run(`INSERT INTO main.${table} SELECT * FROM source.${table} WHERE ${condition}`);
    // Not `inTransaction`: taking the write lock at once would take the source's too, which the caller holds.
    client.transaction(() => {
      // A post may come before its category.
      client.run("PRAGMA defer_foreign_keys = ON");
      copy("settings", "TRUE");
      if (!belongings.has("accounts")) copy("accounts", `id = ${thing.accountId}`);
      for (const [table, count] of rows) {
        copy(table, belongings.get(table) as string);
        work.step(count);
      }
    })();
    client.run("DETACH source");
    indexPosts({ ...platen, db }, work);
    turnWebhooksOff({ ...platen, db });
  } finally {
    closeDatabase(db);
  }
  ownLike(platen.config.data, join(folder, "platen.db"), 0o600);
  syncPath(join(folder, "platen.db"));
}

/** The index holds no text that could be copied. */
function indexPosts(copy: Platen, work: RemovalWork): void {
  const shown = copy.db.$client.query<{ id: number; title: string; text: string }, []>(
    "SELECT id, title, text FROM posts JOIN whole_contents ON post_id = id WHERE deleted_at IS NULL",
  );
  inTransaction(copy, () => {
    for (const post of shown.iterate()) {
      indexPost(copy, post, indexedText(post.text));
      work.step(1);
    }
  });
}

/** Whoever starts on the copy to look at it sends nothing that was waiting, nor what a scheduled post would cause. */
function turnWebhooksOff(copy: Platen): void {
  const at = copy.now();
  inTransaction(copy, () => {
    for (const webhook of listWebhooks(copy)) disableWebhook(copy, webhook, at, "Its blog was removed.");
  });
}

/** Under its name, also after a power cut. */
function named(platen: Platen, unfinished: string, { name }: RemovedThing): string {
  const date = dateInName(platen.now());
  let folder = removedFolder(platen, `${date}-${name}`);
  for (let number = 2; existsSync(folder); number++)
    folder = removedFolder(platen, `${date}-${name}-${number}`);
  for (const path of [join(unfinished, "media"), unfinished]) syncPath(path);
  renameSync(unfinished, folder);
  for (const path of [removedFolder(platen), platen.config.data]) syncPath(path);
  return folder;
}
