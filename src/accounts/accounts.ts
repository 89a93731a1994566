import { eq, sql } from "drizzle-orm";
import { accounts } from "../database/schema";
import { type FieldFaults, invalid } from "../errors";
import type { Platen } from "../platen";

export type Account = typeof accounts.$inferSelect;

const LONGEST_EMAIL = 254;
const LONGEST_NAME = 200;

export interface NewAccount {
  email: string;
  name?: string;
  /** Without one the account cannot sign in, only use its keys. */
  passwordHash?: string | null;
  isAdmin?: boolean;
}

/** Adds an account. To be called inside a transaction, or two may be given one e-mail address. @throws Refusal (invalid) naming `email` or `name` */
export function addAccount(platen: Platen, account: NewAccount): Account {
  const email = account.email.trim();
  const name = account.name?.trim() || (email.split("@")[0] as string);
  const faults: FieldFaults = {};
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > LONGEST_EMAIL)
    faults.email = ["must be an e-mail address"];
  else if (accountWithEmail(platen, email)) faults.email = ["belongs to an account already"];
  if (name.length > LONGEST_NAME) faults.name = [`must be at most ${LONGEST_NAME} characters`];
  if (Object.keys(faults).length > 0) throw invalid(faults);
  return platen.db
    .insert(accounts)
    .values({
      email,
      name,
      passwordHash: account.passwordHash ?? null,
      isAdmin: account.isAdmin ?? false,
      createdAt: platen.now(),
    })
    .returning()
    .get();
}

export function hasAccounts(platen: Platen): boolean {
  return platen.db.select({ id: accounts.id }).from(accounts).limit(1).get() !== undefined;
}

export function accountWithEmail(platen: Platen, email: string): Account | undefined {
  return platen.db
    .select()
    .from(accounts)
    .where(sql`lower(${accounts.email}) = lower(${email.trim()})`)
    .get();
}

export function accountById(platen: Platen, id: number): Account | undefined {
  return platen.db.select().from(accounts).where(eq(accounts.id, id)).get();
}

export function listAccounts(platen: Platen): Account[] {
  return platen.db.select().from(accounts).orderBy(accounts.id).all();
}
