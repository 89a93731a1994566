import { existsSync } from "node:fs";
import { and, eq, isNull, or, sql } from "drizzle-orm";
import { accountById, assertOtherAdmin } from "../../accounts/accounts";
import { disableAccount, enableAccount } from "../../accounts/people-and-invitations";
import type { Blog } from "../../blogs/blogs";
import { firstFree } from "../../blogs/slug";
import { deleteRows, findRow, findValues, hasRow, updateRows } from "../../database/rows";
import { accounts, blogs, removals } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { conflict, notFound, requireFound } from "../../errors";
import { type JobKind, type JobReport, listUnfinishedJobs, ServerStopped, startJob } from "../../jobs/jobs";
import type { Platen } from "../../platen";
import { startChildCommand } from "../../runtime/child-command";
import { timestampName } from "../../runtime/files";
import { removedFolder } from "./removed-media";

export interface RemovedThing {
  table: "accounts" | "blogs";
  id: number;
  accountId: number;
  name: string;
}

type ThingId = Pick<RemovedThing, "table" | "id">;

/**
 * Hides a blog, or disables an account and hides its blogs. Does nothing in a resumed removal.
 * @throws Refusal: missing; conflict for the last admin, or if another removal must finish first
 */
export function hideForRemoval(platen: Platen, thing: RemovedThing): void {
  inTransaction(platen, () => {
    if (removalRow(platen, thing)) return;
    const going = blogIdsOf(platen, thing);
    if (thing.table === "blogs" && going.length === 0) throw notFound("blog");
    if (going.some((blogId) => hasRow(platen, removals, { blogId })))
      throw conflict("This account, or one of its blogs, is already being removed. Wait until that is done.");
    const startedAt = platen.now();
    const wanted = `${timestampName(startedAt)}-${thing.name}`;
    const copy = firstFree(
      (number) => (number === 1 ? wanted : `${wanted}-${number}`),
      (tried) => existsSync(removedFolder(platen, tried)),
    );
    const insert = platen.db.insert(removals);
    if (thing.table === "blogs") return void insert.values({ blogId: thing.id, startedAt, copy }).run();
    const account = requireFound(accountById(platen, thing.id), "account");
    assertOtherAdmin(platen, account);
    if (!account.disabledAt) disableAccount(platen, account);
    const accountId = account.id;
    const ofBlogs = going.map((blogId) => ({ accountId, blogId, startedAt }));
    insert.values([{ accountId, startedAt, copy }, ...ofBlogs]).run();
  });
}

export function undoHiding(platen: Platen, thing: ThingId): void {
  inTransaction(platen, () => {
    const row = removalRow(platen, thing);
    if (!row || row.isKept) return;
    deleteRemovalRow(platen, thing);
    const account = thing.table === "accounts" ? accountById(platen, thing.id) : undefined;
    if (account?.disabledAt && account.disabledAt >= row.startedAt) enableAccount(platen, account);
  });
}

export function markCopyKept(platen: Platen, thing: ThingId): void {
  updateRows(platen, removals, isRemovalOf(thing), { isKept: true });
}

export function folderOfCopy(platen: Platen, thing: ThingId): string {
  return removedFolder(platen, removalRow(platen, thing)?.copy as string);
}

export function isCopyKept(platen: Platen, thing: ThingId): boolean {
  return removalRow(platen, thing)?.isKept === true;
}

/** Of an account, also the rows of its blogs. */
export function deleteRemovalRow(platen: Platen, thing: ThingId): void {
  deleteRows(platen, removals, thing.table === "accounts" ? { accountId: thing.id } : isRemovalOf(thing));
}

function removalRow(platen: Platen, thing: ThingId) {
  return findRow(platen, removals, isRemovalOf(thing));
}

function isRemovalOf({ table, id }: ThingId) {
  return table === "accounts" ? { accountId: id, blogId: null } : { blogId: id, accountId: null };
}

export function blogIdsOf(platen: Platen, { table, id }: ThingId): number[] {
  return findValues(platen, blogs, "id", table === "accounts" ? { accountId: id } : { id });
}

export function blogBeingRemoved({ db }: Platen, slug: string): Blog | undefined {
  const found = db.select().from(blogs).innerJoin(removals, eq(removals.blogId, blogs.id));
  return found.where(and(eq(blogs.slug, slug), isNull(removals.accountId))).get()?.blogs;
}

export function unfinishedRemovals({ db }: Platen): (ThingId & { title: string })[] {
  const { blogId, accountId } = removals;
  const title = sql<string>`coalesce(${blogs.title}, ${accounts.name}, '')`;
  const table = sql<ThingId["table"]>`iif(${blogId} IS NULL, 'accounts', 'blogs')`;
  return db
    .select({ table, id: sql<number>`coalesce(${blogId}, ${accountId})`, title })
    .from(removals)
    .leftJoin(blogs, eq(blogs.id, blogId))
    .leftJoin(accounts, eq(accounts.id, accountId))
    .where(or(isNull(blogId), isNull(accountId)))
    .orderBy(removals.id)
    .all();
}

export type Removed = { blog: number; title: string } | { account: number; title: string };

/** The job belongs to the instance, because a blog's jobs are deleted with the blog. */
export const removalJob: JobKind<Removed> = {
  name: "blog-removal",
  title: ({ title }) => `Removal of ${title}`,
  isResumable: true,
  async run(platen, { input, signal, reportProgress }) {
    const thing = removedThing(input);
    await reportProgress({ doing: "Saving a copy, then deleting" });
    const words = commandFor(platen, input);
    if (!words) return REMOVED_REPORT;
    const { ended, end } = startChildCommand(platen, [...words, "--yes"], {
      // A command with lower priority could hold the database lock for a long time.
      priority: 0,
    });
    signal.addEventListener("abort", () => {
      if (signal.reason instanceof ServerStopped || !isCopyKept(platen, thing)) end();
    });
    const { code, stderr, stdout } = await ended;
    if (code === 0) return { ...REMOVED_REPORT, message: stdout.trim() };
    // If the child process was killed, the blog is still hidden.
    undoHiding(platen, thing);
    if (!commandFor(platen, input)) return REMOVED_REPORT;
    signal.throwIfAborted();
    throw conflict(stderr.split("\n").at(-1) ?? stderr);
  },
};

/** Call this when a server starts. */
export function resumeRemovals(platen: Platen): void {
  const going = listUnfinishedJobs(platen).filter(({ kind }) => kind === removalJob.name);
  for (const { table, id, title } of unfinishedRemovals(platen)) {
    const input: Removed = table === "blogs" ? { blog: id, title } : { account: id, title };
    if (!going.some((job) => Bun.deepEquals(removedThing(job.given as Removed), removedThing(input))))
      startJob(platen, removalJob, { blog: null, account: null, input });
  }
}

function removedThing(input: Removed) {
  return "blog" in input
    ? ({ table: "blogs", id: input.blog } as const)
    : ({ table: "accounts", id: input.account } as const);
}

function commandFor(platen: Platen, input: Removed): string[] | undefined {
  if ("blog" in input) {
    // Unlike `blogById`, finds a blog that is being removed.
    const blog = findRow(platen, blogs, { id: input.blog });
    return blog && ["blog", "remove", blog.slug];
  }
  const account = findRow(platen, accounts, { id: input.account });
  return account && ["account", "remove", "--email", account.email];
}

const REMOVED_REPORT: JobReport = {
  message: "Removed. A copy is in the folder removed/ of the data folder.",
  links: [{ path: "/admin", words: "Continue" }],
};
