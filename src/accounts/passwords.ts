import { eq } from "drizzle-orm";
import { MAX_LENGTHS } from "../config/request-limits";
import { accounts } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { assertNoFieldErrors, type FieldErrors } from "../errors";
import type { Platen } from "../platen";
import { type Account, accountWithEmail } from "./accounts";
import { recordAuditEvent } from "./audit-log";
import { deleteUnusedCodes } from "./authorization-codes";
import { endSessions } from "./sessions";

/** OWASP's minimum for argon2id. `memoryCost` is in KiB. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const MIN_PASSWORD_LENGTH = 10;

export function passwordErrors(password: string): FieldErrors {
  const fits = password.length >= MIN_PASSWORD_LENGTH && password.length <= MAX_LENGTHS.password;
  return fits
    ? {}
    : { password: [`must be ${MIN_PASSWORD_LENGTH} to ${MAX_LENGTHS.password} characters long`] };
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
    platen.db.update(accounts).set({ passwordHash }).where(eq(accounts.id, account.id)).run();
    endSessions(platen, account, token);
    deleteUnusedCodes(platen, account);
    recordAuditEvent(platen, "changed the password", { account });
  });
}
