import { desc } from "drizzle-orm";
import { countRows, findRows, findValues, updateRows } from "../database/rows";
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
  const range = { orderBy: accounts.id, limit, offset: (page - 1) * limit };
  return findRows(platen, accounts, undefined, range).map((account) => personOf(platen, account));
}

export function personOf(platen: Platen, account: Account) {
  const accountId = account.id;
  const latest = { orderBy: desc(sessions.lastSeenAt), limit: 1 };
  const [lastSeenAt = null] = findValues(platen, sessions, "lastSeenAt", { accountId }, latest);
  return { account, blogs: countRows(platen, blogs, { accountId }), lastSeenAt };
}

export function countPeople(platen: Platen): number {
  return countRows(platen, accounts);
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
    updateRows(platen, accounts, { id: account.id }, changes);
    recordAuditEvent(platen, act, { account, by });
  });
}
