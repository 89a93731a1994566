import { inArray, sql } from "drizzle-orm";
import { type Account, accountById } from "../../accounts/accounts";
import { keysToRevokeWith } from "../../accounts/api-keys";
import { recordAuditEvent } from "../../accounts/audit-log";
import { releaseBlogNames } from "../../blogs/blog-addresses";
import type { Blog } from "../../blogs/blogs";
import { slugify } from "../../blogs/slug";
import { lockForRemoval } from "../../database/folder-locks";
import { authorizationCodes, keys } from "../../database/schema";
import { inSharedTransaction, inTransaction, unsynced } from "../../database/transactions";
import type { Platen } from "../../platen";
import { compactIndex, removeFromIndex } from "../../posts/storage/full-text-search";
import { deleteDependentRows, removePosts } from "../../posts/trash";
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
  /** Aborting before the copy is complete undoes the removal. Later, aborting pauses the removal. */
  signal?: AbortSignal;
}

/**
 * Saves a copy first. Resumes an interrupted removal.
 * @returns the copy's folder
 * @throws any error; the blog stays if the copy is not complete
 */
export function removeBlog(platen: Platen, blog: Blog, options?: RemovalOptions): Promise<string> {
  const name = `blog-${blog.slug}`;
  const thing = { table: "blogs", id: blog.id, accountId: blog.accountId, name } as const;
  const decide = () => {
    endAccessTo(platen, blog.id);
    const account = accountById(platen, blog.accountId) ?? null;
    recordAuditEvent(platen, "removed a blog", { account, about: blog.title });
  };
  return remove(platen, thing, decide, options);
}

export function removeAccount(platen: Platen, account: Account, options?: RemovalOptions): Promise<string> {
  const name = `account-${slugify(account.email)}`;
  const thing = { table: "accounts", id: account.id, accountId: account.id, name } as const;
  const decide = () => {
    for (const id of blogIdsOf(platen, thing)) endAccessTo(platen, id);
    recordAuditEvent(platen, "removed an account", { account: null, about: account.email, by: account });
  };
  return remove(platen, thing, decide, options);
}

/**
 * The first transaction hides the blogs and blocks writes to them, so that the copy is complete. A killed
 * removal resumes when it is requested again, or when a server starts.
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
    // First, to free space on a full disk.
    copy.discard();
    undoHiding(platen, thing);
    throw error;
  }
}

function endAccessTo(platen: Platen, id: number): void {
  const ending = keysToRevokeWith(platen, id).map((key) => key.id);
  platen.db.delete(keys).where(inArray(keys.id, ending)).run();
  const names = sql`EXISTS (SELECT 1 FROM json_each(${authorizationCodes.blogIds}) WHERE value = ${id})`;
  platen.db.delete(authorizationCodes).where(sql`${authorizationCodes.usedAt} IS NULL AND ${names}`).run();
  releaseBlogNames(platen, id);
}

/** Small, so that each transaction takes only a few milliseconds. */
const POSTS_PER_COMMIT = 20;
const ROWS_PER_COMMIT = 200;

/** Keeps the row of the blog or account itself, so that the removal can be resumed. */
async function deleteMostRows(platen: Platen, thing: RemovedThing, step: Step): Promise<void> {
  const belongings = findOwnedRows(platen.db, thing.table, thing.id);
  await unsynced(platen, async () => {
    await deletePosts(platen, belongings.get("posts") as string, step);
    for (const [table, rows] of [...belongings].reverse())
      if (table !== thing.table) await deleteRows(platen, table, rows, step);
  });
  // A synced commit: the files may be deleted only after the rows are durably deleted.
  inTransaction(platen, () => void platen.db.$client.run("UPDATE removals SET is_kept = is_kept"));
}

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
  // Tables without rowid have few rows left, so all are deleted at once.
  const some = hasRowIds(client, table)
    ? `rowid IN (SELECT rowid FROM ${table} WHERE ${rows} LIMIT ${ROWS_PER_COMMIT})`
    : rows;
  // A DELETE without matches would scan the table while it holds the lock.
  const any = client.query(`SELECT 1 FROM ${table} WHERE ${rows} LIMIT 1`);
  while (any.get()) {
    await inSharedTransaction(platen, () => void client.run(`DELETE FROM ${table} WHERE ${some}`));
    await step();
  }
}

function deleteRest(platen: Platen, thing: RemovedThing): void {
  const belongings = findOwnedRows(platen.db, thing.table, thing.id);
  inTransaction(platen, () => {
    for (const [table, rows] of [...belongings].reverse())
      platen.db.$client.run(`DELETE FROM ${table} WHERE ${rows}`);
    deleteRemovalRow(platen, thing);
  });
}
