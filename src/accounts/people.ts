import { count, eq, max } from "drizzle-orm";
import { accounts, blogs, sessions } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { type Account, assertOtherAdmin } from "./accounts";
import { deleteUnusedCodes } from "./app-tokens";
import { type Act, recordAuditEvent } from "./audit-log";
import { deleteInvitationsBy } from "./invitations";
import { endSessions } from "./sessions";

export type Person = ReturnType<typeof personOf>;

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

export function personOf(platen: Platen, account: Account) {
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
  changeStanding(platen, { account, by }, "made admin", { isAdmin: true });
}

export function makeAuthor(platen: Platen, account: Account, by: Account = account): void {
  inTransaction(platen, () => {
    assertOtherAdmin(platen, account, "be an author");
    deleteInvitationsBy(platen, account);
    changeStanding(platen, { account, by }, "made author", { isAdmin: false });
  });
}

/** Blocks sign-in and keys. The account's blogs stay public. @throws Refusal (conflict) for the last admin */
export function disableAccount(platen: Platen, account: Account, by: Account = account): void {
  inTransaction(platen, () => {
    assertOtherAdmin(platen, account, "be disabled");
    endSessions(platen, account);
    deleteUnusedCodes(platen, account);
    deleteInvitationsBy(platen, account);
    changeStanding(platen, { account, by }, "disabled", { disabledAt: platen.now() });
  });
}

export function enableAccount(platen: Platen, account: Account, by: Account = account): void {
  changeStanding(platen, { account, by }, "enabled", { disabledAt: null });
}

function changeStanding(
  platen: Platen,
  { account, by }: { account: Account; by: Account },
  act: Act,
  changes: Partial<Pick<Account, "isAdmin" | "disabledAt">>,
): void {
  inTransaction(platen, () => {
    platen.db.update(accounts).set(changes).where(eq(accounts.id, account.id)).run();
    recordAuditEvent(platen, act, { account, by });
  });
}
