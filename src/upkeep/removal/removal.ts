import { inArray, sql } from "drizzle-orm";
import { type Account, accountById } from "../../accounts/accounts";
import { recordAuditEvent } from "../../accounts/audit-log";
import { keysEndingWith } from "../../accounts/keys";
import { releaseBlogNames } from "../../blogs/blog-address";
import type { Blog } from "../../blogs/blogs";
import { slugify } from "../../blogs/slug";
import { lockForRemoval } from "../../database/folder-locks";
import { authorizationCodes, keys } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { newProgress, type RemovalProgress } from "./removal-progress";
import { beginCopy } from "./removed-copy";
import { deleteFiles } from "./removed-media";
import { countRows, deleteMostRows, deleteRest } from "./removed-rows";
import {
  blogIdsOf,
  folderOfCopy,
  hideForRemoval,
  isCopyKept,
  markCopyKept,
  type RemovedThing,
  undoHiding,
} from "./unfinished-removals";

export interface RemovalOptions {
  /** Progress in rows. */
  onStep?: (done: number, total: number) => void;
  /** Before the copy is complete, aborting undoes the removal; afterwards it only pauses it. */
  signal?: AbortSignal;
}

/**
 * Removes a blog with everything that belongs to it, after saving a copy. Resumes an interrupted removal.
 * @returns the copy's folder
 * @throws if the copy fails; the blog then stays
 */
export function removeBlog(platen: Platen, blog: Blog, wish?: RemovalOptions): Promise<string> {
  const name = `blog-${blog.slug}`;
  const thing = { table: "blogs", id: blog.id, accountId: blog.accountId, name } as const;
  const decide = () => {
    endAccessTo(platen, blog);
    const account = accountById(platen, blog.accountId) ?? null;
    recordAuditEvent(platen, "removed a blog", { account, about: blog.title });
  };
  return remove(platen, thing, decide, wish);
}

/** Removes an account with its blogs, keys and sessions. @throws Refusal (conflict) for the last admin */
export async function removeAccount(
  platen: Platen,
  account: Account,
  { by = account, ...wish }: RemovalOptions & { by?: Account } = {},
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
    wish,
  );
}

/**
 * From the first transaction on nobody finds it, and nothing more is stored in it, so that the copy, which may take minutes,
 * has everything. Once that has its name, the rows go in pieces, between which others write, then the files, and with the
 * last row it is over. Killed before the copy has its name, or after: who removes it again goes on, as a server does when it
 * starts (see `goOnRemoving`).
 * @param decide what else there is to do in the transaction after which there is no way back
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
    const work = newProgress(onStep, signal);
    work.more(countRows(platen, thing));
    if (!isCopyKept(platen, thing)) await keepCopy(platen, thing, decide, work);
    const folder = folderOfCopy(platen, thing);
    await deleteMostRows(platen, thing, work);
    await deleteFiles(platen, folder, work);
    deleteRest(platen, thing);
    work.end();
    return folder;
  } finally {
    unlock();
  }
}

/** Undoes the removal if the copy fails. */
async function keepCopy(
  platen: Platen,
  thing: RemovedThing,
  decide: () => void,
  work: RemovalProgress,
): Promise<void> {
  const copy = beginCopy(platen, thing, folderOfCopy(platen, thing), work);
  try {
    await copy.fill();
    inTransaction(platen, () => {
      decide();
      markCopyKept(platen, thing);
      copy.keep();
    });
  } catch (fault) {
    // First, to free space on a full disk.
    copy.discard();
    undoHiding(platen, thing);
    throw fault;
  }
}

/** Deletes keys and codes for this blog only, and retires its addresses. */
function endAccessTo(platen: Platen, { id }: Pick<Blog, "id">): void {
  const ending = keysEndingWith(platen, id).map((key) => key.id);
  platen.db.delete(keys).where(inArray(keys.id, ending)).run();
  // A code gives access to all blogs that it names.
  const names = sql`EXISTS (SELECT 1 FROM json_each(${authorizationCodes.blogIds}) WHERE value = ${id})`;
  platen.db.delete(authorizationCodes).where(sql`${authorizationCodes.usedAt} IS NULL AND ${names}`).run();
  releaseBlogNames(platen, id);
}
