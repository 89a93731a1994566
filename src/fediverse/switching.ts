import { and, eq, ne } from "drizzle-orm";
import { accountById } from "../accounts/accounts";
import { recordAuditEvent } from "../accounts/audit-log";
import { type Blog, blogHolding, changeReach } from "../blogs/blogs";
import { blogAtUrl } from "../blogs/finding-blogs";
import { blogUrl } from "../blogs/permalinks";
import { blogActors, blogs, followers, sentObjects } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { invalid } from "../errors";
import type { Platen } from "../platen";
import {
  type BlogActor,
  FEDIVERSE,
  type FediverseSettings,
  fediverseSettings,
  reasonNotPublic,
  storedActor,
} from "./blog-actors";
import { newKeyPair } from "./signatures";

/**
 * Turns the fediverse on. The actor of an earlier time is used again while its address still leads here.
 * @throws Refusal (invalid) for `fediverse` if other servers could not reach the blog
 */
export async function turnFediverseOn(platen: Platen, blog: Blog): Promise<void> {
  if (fediverseSettings(blog)) return;
  const reason = reasonNotPublic(platen, blog);
  if (reason !== null) throw invalid({ fediverse: [`cannot be turned on. ${reason}`] });
  const keys = await newKeyPair();
  inTransaction(platen, () => {
    const current = blogHolding(platen, { blogId: blog.id });
    const former = storedActor(platen, current);
    if (former && !leadsHere(platen, current, former.base)) forgetActor(platen, current.id);
    const base = blogUrl(platen, current);
    // Another blog had this address before.
    platen.db
      .delete(blogActors)
      .where(and(eq(blogActors.base, base), ne(blogActors.blogId, blog.id)))
      .run();
    platen.db
      .insert(blogActors)
      .values({ blogId: current.id, base, ...keys, createdAt: platen.now() })
      .onConflictDoNothing({ target: blogActors.blogId })
      .run();
    saveSettings(platen, current, {});
    recordChange(platen, current, "on");
  });
}

/** Whether requests for the actor's address still reach this blog. */
function leadsHere(platen: Platen, { id }: Blog, base: string): boolean {
  return blogAtUrl(platen, new URL(base))?.blog.id === id;
}

/** A new actor has another id: its followers stay behind. */
function forgetActor({ db }: Platen, blogId: number): void {
  for (const table of [blogActors, followers, sentObjects])
    db.delete(table).where(eq(table.blogId, blogId)).run();
}

/** Turns the fediverse off. Keys and followers stay, for turning it on again. */
export function turnFediverseOff(platen: Platen, blog: Blog): void {
  inTransaction(platen, () => {
    saveSettings(platen, blog, null);
    recordChange(platen, blog, "off");
  });
}

export function changeFediverseSettings(
  platen: Platen,
  { blog }: BlogActor,
  changes: FediverseSettings,
): void {
  inTransaction(platen, () => saveSettings(platen, blog, { ...fediverseSettings(blog), ...changes }));
}

function saveSettings(platen: Platen, { id }: Pick<Blog, "id">, settings: FediverseSettings | null): void {
  const blog = blogHolding(platen, { blogId: id });
  const reach = changeReach(blog, { [FEDIVERSE]: settings ?? undefined });
  platen.db.update(blogs).set({ reach }).where(eq(blogs.id, id)).run();
}

function recordChange(platen: Platen, blog: Blog, state: "on" | "off"): void {
  const account = accountById(platen, blog.accountId) ?? null;
  recordAuditEvent(platen, "changed settings", { account, about: `${blog.title}: fediverse ${state}` });
}
