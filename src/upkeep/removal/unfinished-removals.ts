import { existsSync } from "node:fs";
import { and, eq, isNull, type SQL } from "drizzle-orm";
import { disableAccount, enableAccount } from "../../accounts/account-status";
import { accountById, assertOtherAdmin } from "../../accounts/accounts";
import type { Blog } from "../../blogs/blogs";
import { accounts, blogs, removals } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { conflict, notFound } from "../../errors";
import { timestampName } from "../../media/files/copy-names-and-rights";
import type { Platen } from "../../platen";
import { firstFree } from "../../text/unused-name";
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

type Known = Pick<RemovedThing, "table" | "id">;

/**
 * From now on nobody finds the blog, or the account's blogs, and the account can do nothing. Where that is so already
 * it stays so.
 * @throws Refusal: missing; conflict for the last admin, and where another removal is to be finished first
 */
export function hideForRemoval(platen: Platen, thing: RemovedThing): void {
  inTransaction(platen, () => {
    if (rowOf(platen, thing)) return;
    const going = blogIdsOf(platen, thing);
    if (thing.table === "blogs" && going.length === 0) throw notFound("blog");
    if (going.some((id) => platen.db.select().from(removals).where(eq(removals.blogId, id)).get()))
      throw conflict(
        "A blog of this account, or the account, is being removed already: that is to end first.",
      );
    const startedAt = platen.now();
    const copy = freeName(platen, thing, startedAt);
    const insert = (row: Partial<typeof removals.$inferInsert>) =>
      platen.db
        .insert(removals)
        .values({ startedAt, ...row })
        .run();
    if (thing.table === "blogs") return void insert({ blogId: thing.id, copy });
    disable(platen, thing.id);
    insert({ accountId: thing.id, copy });
    for (const blogId of going) insert({ accountId: thing.id, blogId });
  });
}

function freeName(platen: Platen, { name }: RemovedThing, at: Date): string {
  const wish = `${timestampName(at)}-${name}`;
  return firstFree(
    (number) => (number === 1 ? wish : `${wish}-${number}`),
    (tried) => existsSync(removedFolder(platen, tried)),
  );
}

/** @throws Refusal: missing; conflict for the last admin */
function disable(platen: Platen, id: number): void {
  const account = accountById(platen, id);
  if (!account) throw notFound("account");
  assertOtherAdmin(platen, account);
  if (!account.disabledAt) disableAccount(platen, account);
}

/** All is as it was; unless its copy is whole, for then it is gone. */
export function undoHiding(platen: Platen, thing: Known): void {
  inTransaction(platen, () => {
    const row = rowOf(platen, thing);
    if (!row || row.isKept) return;
    deleteRemovalRow(platen, thing);
    const account = thing.table === "accounts" ? accountById(platen, thing.id) : undefined;
    if (account?.disabledAt && account.disabledAt >= row.startedAt) enableAccount(platen, account);
  });
}

/** To be called in the transaction after which there is no way back. */
export function markCopyKept(platen: Platen, thing: Known): void {
  platen.db.update(removals).set({ isKept: true }).where(isRowOf(thing)).run();
}

/** The folder that the copy has, or is to have; of what is hidden. */
export function folderOfCopy(platen: Platen, thing: Known): string {
  return removedFolder(platen, rowOf(platen, thing)?.copy as string);
}

export function isCopyKept(platen: Platen, thing: Known): boolean {
  return rowOf(platen, thing)?.isKept === true;
}

/** To be called in the transaction that deletes the last of it. */
export function deleteRemovalRow(platen: Platen, { table, id }: Known): void {
  const isOfIt = table === "accounts" ? eq(removals.accountId, id) : isRowOf({ table, id });
  platen.db.delete(removals).where(isOfIt).run();
}

/** Blogs that nobody finds any more too. @returns their ids */
export function blogIdsOf({ db }: Platen, { table, id }: Known): number[] {
  const column = table === "accounts" ? blogs.accountId : blogs.id;
  return db
    .select({ id: blogs.id })
    .from(blogs)
    .where(eq(column, id))
    .all()
    .map((blog) => blog.id);
}

/** For the commands, which go on with it. */
export function blogBeingRemoved({ db }: Platen, slug: string): Blog | undefined {
  const found = db.select().from(blogs).innerJoin(removals, eq(removals.blogId, blogs.id));
  return found.where(and(eq(blogs.slug, slug), isNull(removals.accountId))).get()?.blogs;
}

/** A removal that was begun and is not over, and what it is of: a blog's title, an account's name. */
interface UnfinishedRemoval extends Known {
  title: string;
}

export function unfinishedRemovals({ db }: Platen): UnfinishedRemoval[] {
  return db
    .select({ blogId: removals.blogId, id: removals.accountId, title: blogs.title, name: accounts.name })
    .from(removals)
    .leftJoin(blogs, eq(blogs.id, removals.blogId))
    .leftJoin(accounts, eq(accounts.id, removals.accountId))
    .orderBy(removals.id)
    .all()
    .flatMap(({ blogId, id, title, name }): UnfinishedRemoval[] => {
      if (blogId === null && id !== null) return [{ table: "accounts", id, title: name ?? "" }];
      return blogId !== null && id === null ? [{ table: "blogs", id: blogId, title: title ?? "" }] : [];
    });
}

function rowOf({ db }: Platen, thing: Known) {
  return db.select().from(removals).where(isRowOf(thing)).get();
}

function isRowOf({ table, id }: Known): SQL | undefined {
  return table === "accounts"
    ? and(eq(removals.accountId, id), isNull(removals.blogId))
    : and(eq(removals.blogId, id), isNull(removals.accountId));
}
