import { eq } from "drizzle-orm";
import { accounts } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { invalid } from "../errors";
import type { Platen } from "../platen";
import { type Account, accountWithEmail } from "./accounts";
import { endAllSessions } from "./sessions";

/** Bytes of work per sign-in that a Raspberry Pi can still do in well under a second (OWASP's argon2id minimum). */
const ARGON2 = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
const SHORTEST = 10;
const LONGEST = 1000;

/** @throws Refusal (invalid) naming `password` */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < SHORTEST || password.length > LONGEST)
    throw invalid({ password: [`must be ${SHORTEST} to ${LONGEST} characters long`] });
  return await Bun.password.hash(password, ARGON2);
}

/**
 * The account that these open, or null. An address without an account, or one without a password, costs as much work
 * as a wrong password: who has an account here cannot be told from the time it takes.
 */
export async function accountOpenedBy(
  platen: Platen,
  email: string,
  password: string,
): Promise<Account | null> {
  const account = accountWithEmail(platen, email);
  const isRight = await Bun.password.verify(password, account?.passwordHash ?? (await nobodysHash()));
  return account?.passwordHash && isRight ? account : null;
}

let nobodys: Promise<string> | undefined;

/** Made like any other, of a password that nobody knows. */
function nobodysHash(): Promise<string> {
  nobodys ??= Bun.password.hash(crypto.randomUUID(), ARGON2);
  return nobodys;
}

/** A new password, or the first one. Whoever was signed in with the old one no longer is. */
export function setPassword(platen: Platen, account: Account, passwordHash: string): void {
  inTransaction(platen, () => {
    platen.db.update(accounts).set({ passwordHash }).where(eq(accounts.id, account.id)).run();
    endAllSessions(platen, account);
  });
}
