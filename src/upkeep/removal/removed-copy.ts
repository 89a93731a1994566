import type { Database as Sqlite } from "bun:sqlite";
import { existsSync, readdirSync, renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { changeReach } from "../../blogs/blogs";
import { closeDatabase, openDatabase } from "../../database/open";
import { findRows } from "../../database/rows";
import { blogs, receivers } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { disableReceiver } from "../../deliveries/receivers";
import { mediaFolder } from "../../media/files/media-folder";
import { cancelIssuesOfBlog } from "../../newsletter/issue-scheduling-and-log";
import type { Platen } from "../../platen";
import { indexPost } from "../../posts/storage/full-text-search";
import { giveOwnerAndMode, linkOrCopy, makeFolderLike, syncPath } from "../../runtime/files";
import { findOwnedRows, hasRowIds, idsReferredTo, type OwnedRows, type Step } from "./owned-rows";
import { removedFolder } from "./removed-media";
import type { RemovedThing } from "./unfinished-removals";

/** A post that is published in the copy would enable the receivers of these channels again. */
const OFF_IN_COPY = { newsletter: undefined, fediverse: undefined, webmention: undefined, hub: undefined };

/** Sessions, keys, stored responses and jobs end with the removal. */
const NOT_COPIED = [
  "sessions",
  "invitations",
  "password_resets",
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
 * The copy is a complete data folder, which can be served.
 * @param folder final path of the copy
 * @returns the steps `fill` and `keep`, to be called in this order, and `discard`
 */
export function beginCopy(platen: Platen, thing: RemovedThing, folder: string, step: Step) {
  const belongings = findOwnedRows(platen.db, thing.table, thing.id);
  // A fixed name, so that a resumed removal finds and deletes the unfinished copy.
  const unfinished = removedFolder(platen, `.${thing.table}-${thing.id}`);
  const discard = () => {
    // Truncated first, because a deleted file that is still open keeps its disk space.
    for (const name of ["platen.db", "platen.db-wal"])
      if (existsSync(join(unfinished, name))) truncateSync(join(unfinished, name));
    for (const path of [unfinished, folder]) rmSync(path, { recursive: true, force: true });
  };
  return {
    async fill(): Promise<void> {
      discard();
      for (const path of [removedFolder(platen), unfinished, join(unfinished, "media")])
        if (!existsSync(path)) makeFolderLike(platen.config.data, path);
      await linkMedia(platen, belongings, unfinished, step);
      await copyRows(platen, thing, belongings, unfinished, step);
    },
    /** Call this as the last step before the commit. */
    keep(): void {
      for (const path of [join(unfinished, "media"), unfinished]) syncPath(path);
      renameSync(unfinished, folder);
      for (const path of [removedFolder(platen), platen.config.data]) syncPath(path);
    },
    discard,
  };
}

async function linkMedia(platen: Platen, belongings: OwnedRows, into: string, step: Step): Promise<void> {
  const ofBlobs = `SELECT folder FROM blobs WHERE ${belongings.get("blobs")}`;
  for (const { folder } of platen.db.$client.query<{ folder: string }, []>(ofBlobs).all()) {
    const [from, to] = [mediaFolder(platen, folder), join(into, "media", folder)];
    if (!existsSync(from)) continue;
    makeFolderLike(platen.config.data, to);
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      linkOrCopy(join(from, entry.name), join(to, entry.name));
      giveOwnerAndMode(platen.config.data, join(to, entry.name), 0o600);
    }
    syncPath(to);
    await step();
  }
}

async function copyRows(
  platen: Platen,
  thing: RemovedThing,
  belongings: OwnedRows,
  folder: string,
  step: Step,
): Promise<void> {
  const tables = [...belongings.keys()].filter((table) => !NOT_COPIED.includes(table));
  const db = openDatabase(folder);
  try {
    const client = db.$client;
    // An unfinished copy is discarded, and a finished one is synced at the end.
    client.run("PRAGMA journal_mode = MEMORY");
    client.run("PRAGMA synchronous = OFF");
    client.run("ATTACH ? AS source", [join(platen.config.data, "platen.db")]);
    // One transaction, so that all reads see the same state.
    client.run("BEGIN");
    // Deferred, because a post may be copied before its category.
    client.run("PRAGMA defer_foreign_keys = ON");
    client.run("INSERT INTO main.settings SELECT * FROM source.settings");
    if (!belongings.has("accounts")) await copyTable(client, "accounts", `id = ${thing.accountId}`, step);
    // Copies the instance's receivers too, because they may have deliveries of the blog's events.
    await copyTable(client, "receivers", "blog_id IS NULL", step);
    for (const table of tables) await copyTable(client, table, belongings.get(table) as string, step);
    // Remote actors belong to no blog, but rows of the copy refer to them.
    await copyTable(client, "remote_actors", `id IN (${idsReferredTo(client, "remote_actors")})`, step);
    // The removal has disabled the account.
    client.run(
      "UPDATE main.accounts SET disabled_at = NULL WHERE disabled_at >= (SELECT min(started_at) FROM source.removals WHERE account_id = accounts.id)",
    );
    client.run("COMMIT");
    client.run("DETACH source");
    await indexPosts({ ...platen, db }, step);
    turnSendingOff({ ...platen, db });
  } finally {
    closeDatabase(db);
  }
  giveOwnerAndMode(platen.config.data, join(folder, "platen.db"), 0o600);
  syncPath(join(folder, "platen.db"));
}

const ROWS_PER_STEP = 2000;

/** The condition names no schema, so its subqueries read tables of the copy. */
async function copyTable(client: Sqlite, table: string, condition: string, step: Step): Promise<void> {
  const copy = `INSERT INTO main.${table} SELECT * FROM source.${table} WHERE (${condition})`;
  if (!hasRowIds(client, table)) {
    client.run(copy);
    return await step();
  }
  const last = client.query<{ id: number | null }, []>(`SELECT max(rowid) AS id FROM source.${table}`).get();
  for (let from = 0; from <= (last?.id ?? -1); from += ROWS_PER_STEP) {
    client.run(`${copy} AND rowid BETWEEN ? AND ?`, [from, from + ROWS_PER_STEP - 1]);
    await step();
  }
}

const POSTS_PER_STEP = 500;

/** A contentless search index cannot be copied. */
async function indexPosts(copy: Platen, step: Step): Promise<void> {
  const some = copy.db.$client.query<{ id: number; title: string; text: string }, [number]>(
    `SELECT id, title, text FROM posts JOIN contents ON post_id = id
     WHERE deleted_at IS NULL AND id > ? ORDER BY id LIMIT ${POSTS_PER_STEP}`,
  );
  for (let posts = some.all(0); posts.length > 0; posts = some.all(posts.at(-1)?.id ?? 0)) {
    inTransaction(copy, () => {
      for (const post of posts) indexPost(copy, post, post.text);
    });
    await step();
  }
}

/** A server on the copy must not send queued or new events. */
function turnSendingOff(copy: Platen): void {
  const at = copy.now();
  inTransaction(copy, () => {
    for (const blog of findRows(copy, blogs)) {
      cancelIssuesOfBlog(copy, blog);
      changeReach(copy, blog.id, OFF_IN_COPY);
    }
    for (const { id } of findRows(copy, receivers)) disableReceiver(copy, id, at, "The blog was removed.");
  });
}
