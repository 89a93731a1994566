import { inArray, sql } from "drizzle-orm";
import { type Account, accountById, demandAnotherAdmin } from "../../accounts/accounts";
import { recordAct } from "../../accounts/acts";
import { keysEndingWith } from "../../accounts/keys";
import { forgetFormerPlaces } from "../../blogs/blog-address";
import { type Blog, blogsOf } from "../../blogs/blogs";
import { slugify } from "../../blogs/slug";
import { type Belongings, belongingsOf, countBelonging } from "../../database/belongings";
import { authorizationCodes, keys } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { removeFromIndex } from "../../posts/parts/search-index";
import { newWork, type RemovalWork } from "./removal-work";
import { beginCopy, type RemovedThing } from "./removed-copy";
import { finishRemovals } from "./removed-media";

/**
 * Removes a blog with all that belongs to it, after a copy of it was kept.
 * @param onStep is told how far it is, in rows of the database
 * @returns the copy's folder
 */
export function removeBlog(
  platen: Platen,
  blog: Blog,
  onStep?: (done: number, total: number) => void,
): string {
  const thing = {
    table: "blogs",
    id: blog.id,
    accountId: blog.accountId,
    name: `blog-${blog.slug}`,
  } as const;
  const prepare = () => {
    endAccessTo(platen, blog);
    const account = accountById(platen, blog.accountId) ?? null;
    recordAct(platen, "removed a blog", { account, about: blog.title });
  };
  return remove(platen, thing, prepare, newWork(onStep));
}

/**
 * Removes an account with its blogs, keys and sessions, after a copy was kept. @returns the copy's folder
 * @throws Refusal (conflict) for the last admin
 */
export function removeAccount(platen: Platen, account: Account, by: Account = account): string {
  const name = `account-${slugify(account.email)}`;
  return remove(platen, { table: "accounts", id: account.id, accountId: account.id, name }, () => {
    demandAnotherAdmin(platen, account);
    for (const blog of blogsOf(platen, account)) endAccessTo(platen, blog);
    recordAct(platen, "removed an account", { account: null, about: account.email, by });
  });
}

/**
 * The copy has its name before the rows go, the files go last: killed at any moment, either all is there still or the
 * copy is whole. Others who write to the database wait only from `complete` on: what they wrote before is in the copy.
 * @param prepare what else is to be done in the transaction
 */
function remove(platen: Platen, thing: RemovedThing, prepare: () => void, work = newWork()): string {
  const copy = beginCopy(platen, thing, work);
  try {
    // To delete them is as much as to copy them.
    work.more(rowsOf(platen, belongingsOf(platen.db, thing.table, thing.id)));
    copy.fill();
    const folder = inTransaction(platen, () => {
      copy.complete();
      prepare();
      deleteRows(platen, belongingsOf(platen.db, thing.table, thing.id), work);
      return copy.keep();
    });
    finishRemovals(platen);
    return folder;
  } finally {
    copy.discard();
  }
}

/** What leads to the blog without belonging to it. */
function endAccessTo(platen: Platen, { id }: Blog): void {
  const ending = keysEndingWith(platen, id).map((key) => key.id);
  platen.db.delete(keys).where(inArray(keys.id, ending)).run();
  // A key that a code is exchanged for is bound to all the blogs that the code names.
  const names = sql`EXISTS (SELECT 1 FROM json_each(${authorizationCodes.blogIds}) WHERE value = ${id})`;
  platen.db.delete(authorizationCodes).where(sql`${authorizationCodes.usedAt} IS NULL AND ${names}`).run();
  forgetFormerPlaces(platen, id);
}

/** Kept answers to writes (Idempotency-Key) of keys that live on stay: a repeat must not write to another blog. */
function deleteRows(platen: Platen, belongings: Belongings, work: RemovalWork): void {
  const client = platen.db.$client;
  const ofPosts = `SELECT id FROM posts WHERE ${belongings.get("posts")}`;
  for (const { id } of client.query<{ id: number }, []>(ofPosts).all()) removeFromIndex(platen, id);
  for (const [table, rows] of [...belongings].reverse())
    work.step(client.run(`DELETE FROM ${table} WHERE ${rows}`).changes);
}

function rowsOf({ db }: Platen, belongings: Belongings): number {
  return [...belongings.keys()].reduce((sum, table) => sum + countBelonging(db, belongings, table), 0);
}
