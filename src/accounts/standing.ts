import { eq } from "drizzle-orm";
import { accounts } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { type Account, demandAnotherAdmin } from "./accounts";
import { withdrawCodes } from "./authorization-codes";
import { endSessions } from "./sessions";

/** It may look after the whole instance. */
export function makeAdmin(platen: Platen, account: Account): void {
  setStanding(platen, account, { isAdmin: true });
}

/** It sees its own blogs only. @throws Refusal (conflict) for the last admin */
export function makeAuthor(platen: Platen, account: Account): void {
  inTransaction(platen, () => {
    demandAnotherAdmin(platen, account, "be an author");
    setStanding(platen, account, { isAdmin: false });
  });
}

/** It cannot sign in, and its keys are refused; its blogs stay. @throws Refusal (conflict) for the last admin */
export function disableAccount(platen: Platen, account: Account): void {
  inTransaction(platen, () => {
    demandAnotherAdmin(platen, account, "be disabled");
    setStanding(platen, account, { disabledAt: platen.now() });
    endSessions(platen, account);
    withdrawCodes(platen, account);
  });
}

/** Takes disabling back: it signs in again, and its keys are good again. */
export function enableAccount(platen: Platen, account: Account): void {
  setStanding(platen, account, { disabledAt: null });
}

function setStanding(
  platen: Platen,
  account: Account,
  changes: Partial<Pick<Account, "isAdmin" | "disabledAt">>,
): void {
  platen.db.update(accounts).set(changes).where(eq(accounts.id, account.id)).run();
}
