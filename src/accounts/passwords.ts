import { lte } from "drizzle-orm";
import { MAX_LENGTHS } from "../config/request-limits";
import { MINUTE } from "../config/units";
import { deleteRows, findRow, insertRow, updateRows } from "../database/rows";
import { accounts, passwordResets } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { assertNoFieldErrors, collectErrors, type FieldErrors, forbidden } from "../errors";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import { type Account, accountById, accountWithEmail } from "./accounts";
import { deleteUnusedCodes } from "./app-tokens";
import { recordAuditEvent } from "./audit-log";
import { endSessions } from "./sessions";

/** OWASP's minimum for argon2id. `memoryCost` is in KiB. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const MIN_PASSWORD_LENGTH = 10;

export function passwordErrors(password: string): FieldErrors {
  const fits = password.length >= MIN_PASSWORD_LENGTH && password.length <= MAX_LENGTHS.password;
  const rule = `must be ${MIN_PASSWORD_LENGTH} to ${MAX_LENGTHS.password} characters long`;
  return collectErrors({ password: !fits && rule });
}

export async function hashPassword(password: string): Promise<string> {
  assertNoFieldErrors(passwordErrors(password));
  return await Bun.password.hash(password, ARGON2);
}

/** Verifies a hash even if the address is unknown, so that timing does not reveal accounts. */
export async function accountWithPassword(platen: Platen, email: string, password: string) {
  const account = accountWithEmail(platen, email);
  const isCorrect = await Bun.password.verify(password, account?.passwordHash ?? (await dummyHash()));
  return account?.passwordHash && isCorrect ? account : null;
}

let dummy: Promise<string> | undefined;

function dummyHash(): Promise<string> {
  dummy ??= Bun.password.hash(crypto.randomUUID(), ARGON2);
  return dummy;
}

/**
 * Ends sessions and deletes unused authorization codes. Keys stay valid.
 * @param token of a session that stays
 */
export function setPassword(platen: Platen, account: Account, passwordHash: string, token?: string): void {
  inTransaction(platen, () => {
    updateRows(platen, accounts, { id: account.id }, { passwordHash });
    endSessions(platen, account, token);
    deleteUnusedCodes(platen, account);
    recordAuditEvent(platen, "changed the password", { account });
  });
}

const RESET_LIFETIME_MS = 30 * MINUTE;

/** Replaces earlier links. @returns URL of the link */
export function createPasswordReset(platen: Platen, { id }: Account): string {
  const text = newSecret();
  inTransaction(platen, () => {
    deleteRows(platen, passwordResets, { accountId: id });
    const expiresAt = new Date(platen.now().getTime() + RESET_LIFETIME_MS);
    insertRow(platen, passwordResets, { hash: hashSecret(text), accountId: id, expiresAt });
  });
  return `${platen.config.url}/auth/new-password/${text}`;
}

/** @throws Refusal (forbidden) if the link is not valid, or its account is disabled */
export function accountOfReset(platen: Platen, text: string): Account {
  const reset = findRow(platen, passwordResets, { hash: hashSecret(text) });
  const account = reset && reset.expiresAt > platen.now() && accountById(platen, reset.accountId);
  if (!account || account.disabledAt)
    throw forbidden("This link was used, or is older than 30 minutes. Ask for a new one.");
  return account;
}

/** Also ends all sessions. The link cannot be used again. @throws Refusal (forbidden) */
export function resetPassword(platen: Platen, text: string, passwordHash: string): Account {
  return inTransaction(platen, () => {
    const account = accountOfReset(platen, text);
    deleteRows(platen, passwordResets, { accountId: account.id });
    setPassword(platen, account, passwordHash);
    return account;
  });
}

export function deleteEndedResets(platen: Platen): void {
  deleteRows(platen, passwordResets, lte(passwordResets.expiresAt, platen.now()));
}
