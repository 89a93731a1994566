import { count, eq, max } from "drizzle-orm";
import { accounts, blogs, sessions } from "../database/schema";
import type { Platen } from "../platen";
import type { Account } from "./accounts";

export interface Person {
  account: Account;
  blogs: number;
  /** null without an active session. */
  lastSeenAt: Date | null;
}

/** Oldest first. @param page from 1 */
export function listPeople(platen: Platen, page: number, limit: number): Person[] {
  const rows = platen.db
    .select()
    .from(accounts)
    .orderBy(accounts.id)
    .limit(limit)
    .offset((page - 1) * limit)
    .all();
  return rows.map((account) => personOf(platen, account));
}

export function personOf(platen: Platen, account: Account): Person {
  const owned = platen.db.select({ n: count() }).from(blogs).where(eq(blogs.accountId, account.id)).get();
  const seen = platen.db
    .select({ at: max(sessions.lastSeenAt) })
    .from(sessions)
    .where(eq(sessions.accountId, account.id))
    .get();
  return { account, blogs: owned?.n ?? 0, lastSeenAt: seen?.at ?? null };
}

export function countPeople(platen: Platen): number {
  return platen.db.select({ n: count() }).from(accounts).get()?.n ?? 0;
}
