import { count, eq, max } from "drizzle-orm";
import { accounts, blogs, sessions } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { type Account, assertOtherAdmin } from "./accounts";
import { recordAuditEvent } from "./audit-log";
import { deleteUnusedCodes } from "./authorization-codes";
import { deleteInvitationsBy } from "./invitations";
import { endSessions } from "./sessions";

export interface Person {
  account: Account;
  blogs: number;
  lastSeenAt: Date | null;
}

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

export function makeAdmin(platen: Platen, account: Account, by: Account = account): void {
  inTransaction(platen, () => {
    setStanding(platen, account, { isAdmin: true });
    recordAuditEvent(platen, "made admin", { account, by });
  });
}

export function makeAuthor(platen: Platen, account: Account, by: Account = account): void {
  inTransaction(platen, () => {
    assertOtherAdmin(platen, account, "be an author");
    setStanding(platen, account, { isAdmin: false });
    deleteInvitationsBy(platen, account);
    recordAuditEvent(platen, "made author", { account, by });
  });
}

/** Blocks sign-in and keys. The account's blogs stay public. @throws Refusal (conflict) for the last admin */
export function disableAccount(platen: Platen, account: Account, by: Account = account): void {
  inTransaction(platen, () => {
    assertOtherAdmin(platen, account, "be disabled");
    setStanding(platen, account, { disabledAt: platen.now() });
    endSessions(platen, account);
    deleteUnusedCodes(platen, account);
    deleteInvitationsBy(platen, account);
    recordAuditEvent(platen, "disabled", { account, by });
  });
}

export function enableAccount(platen: Platen, account: Account, by: Account = account): void {
  inTransaction(platen, () => {
    setStanding(platen, account, { disabledAt: null });
    recordAuditEvent(platen, "enabled", { account, by });
  });
}

function setStanding(
  platen: Platen,
  account: Account,
  changes: Partial<Pick<Account, "isAdmin" | "disabledAt">>,
): void {
  platen.db.update(accounts).set(changes).where(eq(accounts.id, account.id)).run();
}
