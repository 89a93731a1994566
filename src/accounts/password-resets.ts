import { eq, lte } from "drizzle-orm";
import { MINUTE } from "../config/units";
import { findRowByColumn } from "../database/prepared";
import { passwordResets } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { forbidden } from "../errors";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import { type Account, accountById } from "./accounts";
import { setPassword } from "./passwords";

const LIFETIME_MS = 30 * MINUTE;

/** Replaces earlier links. @returns URL of the link */
export function createPasswordReset(platen: Platen, { id }: Account): string {
  const text = newSecret();
  inTransaction(platen, () => {
    platen.db.delete(passwordResets).where(eq(passwordResets.accountId, id)).run();
    const expiresAt = new Date(platen.now().getTime() + LIFETIME_MS);
    const values = { hash: hashSecret(text), accountId: id, expiresAt };
    platen.db.insert(passwordResets).values(values).run();
  });
  return `${platen.config.url}/auth/new-password/${text}`;
}

const resetWithHash = findRowByColumn(passwordResets, "hash");

/** @throws Refusal (forbidden) if the link is not valid, or its account is disabled */
export function accountOfReset(platen: Platen, text: string): Account {
  const reset = resetWithHash(platen, hashSecret(text));
  const account = reset && reset.expiresAt > platen.now() && accountById(platen, reset.accountId);
  if (!account || account.disabledAt)
    throw forbidden("This link was used, or is older than 30 minutes. Ask for a new one.");
  return account;
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
