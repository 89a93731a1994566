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

/** OWASP's minimum for argon2id (`memoryCost` in KiB), which a Raspberry Pi does in well under a second. */
const ARGON2 = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** In characters. */
const SHORTEST = 10;

/** What `hashPassword` would refuse. */
export function passwordErrors(password: string): FieldErrors {
  const fits = password.length >= SHORTEST && password.length <= MAX_LENGTHS.password;
  return fits ? {} : { password: [`must be ${SHORTEST} to ${MAX_LENGTHS.password} characters long`] };
}

/** @throws Refusal (invalid) naming `password` */
export async function hashPassword(password: string): Promise<string> {
  assertNoFieldErrors(passwordErrors(password));
  return await Bun.password.hash(password, ARGON2);
}

/**
 * The account with this e-mail address and password, or null. An unknown address, or an account without a password,
 * takes as much work as a wrong password: the time does not tell who has an account here.
 */
export async function accountWithPassword(
  platen: Platen,
  email: string,
  password: string,
): Promise<Account | null> {
  const account = accountWithEmail(platen, email);
  const isRight = await Bun.password.verify(password, account?.passwordHash ?? (await dummyHash()));
  return account?.passwordHash && isRight ? account : null;
}

let dummy: Promise<string> | undefined;

/** The hash of a password that nobody knows, to be compared with where there is no account. */
function dummyHash(): Promise<string> {
  dummy ??= Bun.password.hash(crypto.randomUUID(), ARGON2);
  return dummy;
}

/**
 * A new password, or the first one. Whoever was signed in with the old one no longer is, and what they allowed an app that
 * has not fetched it is withdrawn; keys stay (see app-keys for those of apps).
 * @param kept the text of a session that goes on all the same: that of who sets it
 */
export function setPassword(platen: Platen, account: Account, passwordHash: string, kept?: string): void {
  inTransaction(platen, () => {
    platen.db.update(accounts).set({ passwordHash }).where(eq(accounts.id, account.id)).run();
    endSessions(platen, account, kept);
    deleteUnusedCodes(platen, account);
    recordAuditEvent(platen, "changed the password", { account });
  });
}
