import { and, count, eq, isNotNull } from "drizzle-orm";
import { MINUTE } from "../../config/units";
import { recoveryCodes, twoFactors } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { conflict, invalid } from "../../errors";
import type { Platen } from "../../platen";
import { hashSecret } from "../../secrets";
import type { Account } from "../accounts";
import { recordAuditEvent } from "../audit-log";
import { newCodeSecret, randomBase32, stepOfCode } from "./totp";

/** How long a set-up that was begun can be confirmed, in milliseconds. */
const SET_UP_WITHIN = 30 * MINUTE;
const RECOVERY_CODES = 10;
/** In bytes: 16 letters and digits. */
const RECOVERY_CODE_LENGTH = 10;

type Row = typeof twoFactors.$inferSelect;

/** Begins anew; nothing is asked at signing in before a code has confirmed it. @throws Refusal (conflict) where it is on */
export function beginTwoFactor(platen: Platen, account: Account): void {
  const values = { secret: newCodeSecret(), createdAt: platen.now() };
  inTransaction(platen, () => {
    if (hasTwoFactor(platen, account)) throw conflict("Codes are asked already: turn that off first.");
    platen.db
      .insert(twoFactors)
      .values({ accountId: account.id, ...values })
      .onConflictDoUpdate({ target: twoFactors.accountId, set: values })
      .run();
  });
}

/** The secret of a set-up that waits for its first code; null where none does. */
export function secretBeingSetUp(platen: Platen, account: Account): string | null {
  const row = rowOf(platen, account);
  if (!row || row.confirmedAt) return null;
  return platen.now().getTime() - row.createdAt.getTime() < SET_UP_WITHIN ? row.secret : null;
}

/** From now on a code is asked at signing in. @returns the recovery codes, shown once. @throws Refusal (invalid) naming `code` */
export function confirmTwoFactor(platen: Platen, account: Account, code: string): string[] {
  return inTransaction(platen, () => {
    const secret = secretBeingSetUp(platen, account);
    const step = secret && stepOfCode(secret, tidied(code), platen.now(), 0);
    if (!step) throw invalid({ code: ["is not the one that the app shows now"] });
    platen.db
      .update(twoFactors)
      .set({ confirmedAt: platen.now(), lastStep: step })
      .where(eq(twoFactors.accountId, account.id))
      .run();
    recordAuditEvent(platen, "turned codes on", { account });
    return renewRecoveryCodes(platen, account);
  });
}

/** When it was turned on; null where no code is asked. */
export function twoFactorSince(platen: Platen, account: Account): Date | null {
  return rowOf(platen, account)?.confirmedAt ?? null;
}

/** Is a code asked of the account, besides its password? */
export function hasTwoFactor(platen: Platen, account: Account): boolean {
  return twoFactorSince(platen, account) !== null;
}

/** The former ones are no longer good. @returns the new ones, shown once */
export function renewRecoveryCodes(platen: Platen, account: Account): string[] {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  inTransaction(platen, () => {
    deleteRecoveryCodes(platen, account);
    const values = codes.map((code) => ({ accountId: account.id, hash: hashSecret(tidied(code)) }));
    platen.db.insert(recoveryCodes).values(values).run();
    recordAuditEvent(platen, "made recovery codes", { account });
  });
  return codes;
}

export function recoveryCodesLeft(platen: Platen, account: Account): number {
  const isTheirs = eq(recoveryCodes.accountId, account.id);
  return platen.db.select({ n: count() }).from(recoveryCodes).where(isTheirs).get()?.n ?? 0;
}

/** Uses up a code of the app, or a recovery code; each is good once. False where it is neither. */
export function takeSecondFactor(platen: Platen, account: Account, typed: string): boolean {
  const code = tidied(typed);
  return inTransaction(platen, () =>
    /^\d{6}$/.test(code) ? takeAppCode(platen, account, code) : takeRecoveryCode(platen, account, code),
  );
}

/** No code is asked any more. False where none was. */
export function turnOffTwoFactor(platen: Platen, account: Account): boolean {
  return inTransaction(platen, () => {
    deleteRecoveryCodes(platen, account);
    const removed = platen.db
      .delete(twoFactors)
      .where(eq(twoFactors.accountId, account.id))
      .returning({ confirmedAt: twoFactors.confirmedAt })
      .all();
    const wasOn = removed.some(({ confirmedAt }) => confirmedAt !== null);
    if (wasOn) recordAuditEvent(platen, "turned codes off", { account });
    return wasOn;
  });
}

function takeAppCode(platen: Platen, account: Account, code: string): boolean {
  const isTheirs = and(eq(twoFactors.accountId, account.id), isNotNull(twoFactors.confirmedAt));
  const row = platen.db.select().from(twoFactors).where(isTheirs).get();
  const step = row && stepOfCode(row.secret, code, platen.now(), row.lastStep);
  if (!step) return false;
  platen.db.update(twoFactors).set({ lastStep: step }).where(isTheirs).run();
  return true;
}

function takeRecoveryCode(platen: Platen, account: Account, code: string): boolean {
  const isThis = and(eq(recoveryCodes.accountId, account.id), eq(recoveryCodes.hash, hashSecret(code)));
  const used = platen.db.delete(recoveryCodes).where(isThis).returning({ hash: recoveryCodes.hash }).all();
  if (used.length > 0) recordAuditEvent(platen, "used a recovery code", { account });
  return used.length > 0;
}

function deleteRecoveryCodes(platen: Platen, account: Account): void {
  platen.db.delete(recoveryCodes).where(eq(recoveryCodes.accountId, account.id)).run();
}

function rowOf(platen: Platen, account: Account): Row | undefined {
  return platen.db.select().from(twoFactors).where(eq(twoFactors.accountId, account.id)).get();
}

/** "abcd-efgh-ijkl-mnop" */
function newRecoveryCode(): string {
  return (randomBase32(RECOVERY_CODE_LENGTH).toLowerCase().match(/.{4}/g) ?? []).join("-");
}

/** As people type them: with spaces or hyphens, in capitals. */
function tidied(code: string): string {
  return code.replace(/[\s-]/g, "").toLowerCase();
}
