import { eq } from "drizzle-orm";
import { accounts } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { type Account, assertOtherAdmin } from "./accounts";
import { recordAuditEvent } from "./audit-log";
import { deleteUnusedCodes } from "./authorization-codes";
import { deleteInvitationsBy } from "./invitations";
import { endSessions } from "./sessions";

/** It may look after the whole instance. @param by who says so; here and below, itself where nobody is named */
export function makeAdmin(platen: Platen, account: Account, by: Account = account): void {
  inTransaction(platen, () => {
    setStanding(platen, account, { isAdmin: true });
    recordAuditEvent(platen, "made admin", { account, by });
  });
}

/** It sees its own blogs only. @throws Refusal (conflict) for the last admin */
export function makeAuthor(platen: Platen, account: Account, by: Account = account): void {
  inTransaction(platen, () => {
    assertOtherAdmin(platen, account, "be an author");
    setStanding(platen, account, { isAdmin: false });
    deleteInvitationsBy(platen, account);
    recordAuditEvent(platen, "made author", { account, by });
  });
}

/** It cannot sign in, and its keys are refused; its blogs stay. @throws Refusal (conflict) for the last admin */
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

/** Takes disabling back: it signs in again, and its keys are good again. */
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
