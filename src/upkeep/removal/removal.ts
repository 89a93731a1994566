import { inArray, sql } from "drizzle-orm";
import { type Account, accountById } from "../../accounts/accounts";
import { recordAuditEvent } from "../../accounts/audit-log";
import { keysToRevokeWith } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import { releaseBlogNames } from "../../blogs/changing-addresses";
import { slugify } from "../../blogs/slug";
import { lockForRemoval } from "../../database/folder-locks";
import { authorizationCodes, keys } from "../../database/schema";
import { inSharedTransaction, inTransaction, unsynced } from "../../database/transactions";
import type { Platen } from "../../platen";
import { compactIndex, removeFromIndex } from "../../posts/search/search-index";
import { deleteDependentRows, removePosts } from "../../posts/trash/listing-and-purging";
import { yieldToEventLoop } from "../../runtime/yielding";
import { findOwnedRows, hasRowIds, type Step } from "./owned-rows";
import { beginCopy } from "./removed-copy";
import { deleteFiles } from "./removed-media";
import {
  blogIdsOf,
  deleteRemovalRow,
  folderOfCopy,
  hideForRemoval,
  isCopyKept,
  markCopyKept,
  type RemovedThing,
  undoHiding,
} from "./unfinished-removals";

export interface RemovalOptions {
  onStep?: () => void;
  /** Aborting before the copy is complete undoes the removal; later it pauses the removal. */
  signal?: AbortSignal;
}

/**
 * Removes a blog with everything that belongs to it, after saving a copy. Resumes an interrupted removal.
 * @returns the copy's folder
 * @throws if the copy fails; the blog then stays
 */
export function removeBlog(platen: Platen, blog: Blog, options?: RemovalOptions): Promise<string> {
  const name = `blog-${blog.slug}`;
  const thing = { table: "blogs", id: blog.id, accountId: blog.accountId, name } as const;
  const decide = () => {
    endAccessTo(platen, blog);
    const account = accountById(platen, blog.accountId) ?? null;
    recordAuditEvent(platen, "removed a blog", { account, about: blog.title });
  };
  return remove(platen, thing, decide, options);
}

/** Removes an account with its blogs, keys and sessions. @throws Refusal (conflict) for the last admin */
export async function removeAccount(
  platen: Platen,
  account: Account,
  { by = account, ...options }: RemovalOptions & { by?: Account } = {},
): Promise<string> {
  const name = `account-${slugify(account.email)}`;
  const thing = { table: "accounts", id: account.id, accountId: account.id, name } as const;
  return await remove(
    platen,
    thing,
    () => {
      for (const id of blogIdsOf(platen, thing)) endAccessTo(platen, { id });
      recordAuditEvent(platen, "removed an account", { account: null, about: account.email, by });
    },
    options,
  );
}

/**
 * Removes a blog or account. The first transaction hides it and blocks writes to it, so the copy is complete.
 * Once the copy has its final name, the rows are deleted in batches, then the files, then the last rows.
 * A killed removal resumes when it is requested again, or when a server starts (see `resumeRemovals`).
 * @param decide additional work in the transaction that makes the removal final
 */
async function remove(
  platen: Platen,
  thing: RemovedThing,
  decide: () => void,
  { onStep, signal }: RemovalOptions = {},
): Promise<string> {
  const unlock = await lockForRemoval(platen.config.data, signal);
  try {
    hideForRemoval(platen, thing);
    const step = async () => {
      onStep?.();
      await yieldToEventLoop();
      signal?.throwIfAborted();
    };
    if (!isCopyKept(platen, thing)) await keepCopy(platen, thing, decide, step);
    const folder = folderOfCopy(platen, thing);
    await deleteMostRows(platen, thing, step);
    await deleteFiles(platen, folder, step);
    deleteRest(platen, thing);
    return folder;
  } finally {
    unlock();
  }
}

/** Undoes the removal if the copy fails. */
async function keepCopy(platen: Platen, thing: RemovedThing, decide: () => void, step: Step): Promise<void> {
  const copy = beginCopy(platen, thing, folderOfCopy(platen, thing), step);
  try {
    await copy.fill();
    inTransaction(platen, () => {
      decide();
      markCopyKept(platen, thing);
      copy.keep();
    });
  } catch (error) {
    // Deleted first, to free space on a full disk.
    copy.discard();
    undoHiding(platen, thing);
    throw error;
  }
}

/** Deletes the keys of `keysToRevokeWith` and the unused codes for this blog, and releases its names. */
function endAccessTo(platen: Platen, { id }: Pick<Blog, "id">): void {
  const ending = keysToRevokeWith(platen, id).map((key) => key.id);
  platen.db.delete(keys).where(inArray(keys.id, ending)).run();
  // A code gives access to all blogs in its list.
  const names = sql`EXISTS (SELECT 1 FROM json_each(${authorizationCodes.blogIds}) WHERE value = ${id})`;
  platen.db.delete(authorizationCodes).where(sql`${authorizationCodes.usedAt} IS NULL AND ${names}`).run();
  releaseBlogNames(platen, id);
}

/** Maximum number of posts per transaction, so that each takes only a few milliseconds. */
const POSTS_PER_COMMIT = 20;
const ROWS_PER_COMMIT = 200;

/**
 * Deletes everything except the blog's or account's own row, in small transactions. Keeps stored responses
 * (Idempotency-Key) of other keys, so that a repeated request writes nothing.
 */
async function deleteMostRows(platen: Platen, thing: RemovedThing, step: Step): Promise<void> {
  const belongings = findOwnedRows(platen.db, thing.table, thing.id);
  await unsynced(platen, async () => {
    await deletePosts(platen, belongings.get("posts") as string, step);
    for (const [table, rows] of [...belongings].reverse())
      if (table !== thing.table) await deleteRows(platen, table, rows, step);
  });
  // This commit is synced: the files are deleted only after the rows are durably deleted.
  inTransaction(platen, () => void platen.db.$client.run("UPDATE removals SET is_kept = is_kept"));
}

/** @param condition SQL condition that selects the posts */
async function deletePosts(platen: Platen, condition: string, step: Step): Promise<void> {
  const some = platen.db.$client.query<{ id: number }, []>(
    `SELECT id FROM posts WHERE ${condition} LIMIT ${POSTS_PER_COMMIT}`,
  );
  for (let ids = idsOf(some.all()); ids.length > 0; ids = idsOf(some.all())) {
    await deleteDependentRows(platen, ids);
    await inSharedTransaction(platen, () => {
      for (const id of ids) removeFromIndex(platen, id);
      removePosts(platen, ids);
    });
    await step();
  }
  await compactIndex(platen);
}

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id);

async function deleteRows(platen: Platen, table: string, rows: string, step: Step): Promise<void> {
  const client = platen.db.$client;
  // Tables without rowid have few rows left.
  const some = hasRowIds(client, table)
    ? `rowid IN (SELECT rowid FROM ${table} WHERE ${rows} LIMIT ${ROWS_PER_COMMIT})`
    : rows;
  // Checked first, because a DELETE without matches would scan the table while holding the lock.
  const any = client.query(`SELECT 1 FROM ${table} WHERE ${rows} LIMIT 1`);
  while (any.get()) {
    await inSharedTransaction(platen, () => void client.run(`DELETE FROM ${table} WHERE ${some}`));
    await step();
  }
}

/** Deletes the remaining rows and the record of the removal. */
function deleteRest(platen: Platen, thing: RemovedThing): void {
  const belongings = findOwnedRows(platen.db, thing.table, thing.id);
  inTransaction(platen, () => {
    for (const [table, rows] of [...belongings].reverse())
      platen.db.$client.run(`DELETE FROM ${table} WHERE ${rows}`);
    deleteRemovalRow(platen, thing);
  });
}
