import { and, eq, gt, lte } from "drizzle-orm";
import { MINUTE } from "../config/units";
import { accounts, passwordResets } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { forbidden } from "../errors";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import type { Account } from "./accounts";
import { setPassword } from "./passwords";

const LIFETIME_MS = 30 * MINUTE;

/** Replaces earlier links. @returns URL of the link */
export function createPasswordReset(platen: Platen, { id }: Account): string {
  const text = newSecret();
  inTransaction(platen, () => {
    platen.db.delete(passwordResets).where(eq(passwordResets.accountId, id)).run();
    const expiresAt = new Date(platen.now().getTime() + LIFETIME_MS);
    platen.db
      .insert(passwordResets)
      .values({ hash: hashSecret(text), accountId: id, expiresAt })
      .run();
  });
  return `${platen.config.url}/auth/new-password/${text}`;
}

/** @throws Refusal (forbidden) if the link is not valid, or its account is disabled */
export function accountOfReset(platen: Platen, text: string): Account {
  const found = platen.db
    .select({ account: accounts })
    .from(passwordResets)
    .innerJoin(accounts, eq(accounts.id, passwordResets.accountId))
    .where(and(eq(passwordResets.hash, hashSecret(text)), gt(passwordResets.expiresAt, platen.now())))
    .get();
  if (!found || found.account.disabledAt)
    throw forbidden("This link was used, or is older than 30 minutes. Ask for a new one.");
  return found.account;
}

/** Also ends all sessions. The link cannot be used again. @throws Refusal (forbidden) */
export function resetPassword(platen: Platen, text: string, passwordHash: string): Account {
  return inTransaction(platen, () => {
    const account = accountOfReset(platen, text);
    platen.db.delete(passwordResets).where(eq(passwordResets.accountId, account.id)).run();
    setPassword(platen, account, passwordHash);
    return account;
  });
}

export function deleteEndedResets(platen: Platen): void {
  platen.db.delete(passwordResets).where(lte(passwordResets.expiresAt, platen.now())).run();
}
