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
  /** How far it is, in rows of the database. */
  onStep?: (done: number, total: number) => void;
  /** Ends it between two steps: before the copy is whole everything is as it was, then the rest is left to be removed. */
  signal?: AbortSignal;
}

/**
 * Removes a blog with all that belongs to it, after a copy of it was kept; or goes on with that.
 * @returns the copy's folder
 * @throws what a copy cannot be made by (a full disk): then the blog is there as it was
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

/** The same for an account with its blogs, keys and sessions. @throws Refusal (conflict) for the last admin */
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
    // To delete them is as much as to copy them.
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

/** Whatever keeps it from being made, all is there again as it was. */
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
    // First, so that there is room on a full disk to take it back.
    copy.discard();
    undoHiding(platen, thing);
    throw fault;
  }
}

/** What leads to the blog without belonging to it. */
function endAccessTo(platen: Platen, { id }: Pick<Blog, "id">): void {
  const ending = keysEndingWith(platen, id).map((key) => key.id);
  platen.db.delete(keys).where(inArray(keys.id, ending)).run();
  // A key that a code is exchanged for is bound to all the blogs that the code names.
  const names = sql`EXISTS (SELECT 1 FROM json_each(${authorizationCodes.blogIds}) WHERE value = ${id})`;
  platen.db.delete(authorizationCodes).where(sql`${authorizationCodes.usedAt} IS NULL AND ${names}`).run();
  releaseBlogNames(platen, id);
}
