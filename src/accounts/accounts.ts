import { sql } from "drizzle-orm";
import { isMailAddress } from "../config/mail-settings";
import { countRows, findRow, findRowByColumn, findRows, insertRow, updateRow } from "../database/rows";
import { accounts } from "../database/schema";
import { assertNoFieldErrors, collectErrors, conflict, type FieldErrors, tooLong } from "../errors";
import type { Platen } from "../platen";
import { recordAuditEvent } from "./audit-log";

export type Account = typeof accounts.$inferSelect;

const MAX_NAME_LENGTH = 200;

export interface NewAccount {
  email: string;
  name?: string;
  passwordHash?: string | null;
  isAdmin?: boolean;
}

/** Call this function in a transaction. @throws Refusal (invalid) for `email` or `name` */
export function addAccount(platen: Platen, account: NewAccount): Account {
  const { passwordHash, isAdmin } = account;
  const values = { ...checkedNames(platen, account), passwordHash, isAdmin, createdAt: platen.now() };
  const added = insertRow(platen, accounts, values);
  recordAuditEvent(platen, "added an account", { account: added, about: added.name });
  return added;
}

/**
 * Call this function in a transaction. An empty name becomes the part of the e-mail address before the @.
 * @throws Refusal (invalid) for `email` or `name`
 */
export function changeAccount(
  platen: Platen,
  account: Account,
  { email = account.email, name = account.name }: Partial<Pick<Account, "email" | "name">>,
): Account {
  const changes = checkedNames(platen, { email, name }, account);
  if (changes.email !== account.email || changes.name !== account.name)
    recordAuditEvent(platen, "changed name or e-mail", {
      account,
      about: `${changes.name}, ${changes.email}`,
    });
  return updateRow(platen, accounts, { id: account.id }, changes) as Account;
}

function checkedNames(platen: Platen, account: NewAccount, current?: Account) {
  assertNoFieldErrors(accountErrors(platen, account, current));
  return normalizedNames(account);
}

function normalizedNames(account: NewAccount) {
  const email = account.email.trim();
  return { email, name: account.name?.trim() || (email.split("@")[0] as string) };
}

/** @param current the account that gets these names; undefined for a new account */
export function accountErrors(platen: Platen, account: NewAccount, current?: Account): FieldErrors {
  const { email, name } = normalizedNames(account);
  const holder = accountWithEmail(platen, email);
  return collectErrors({
    email:
      (email === "" && "must not be empty") ||
      (!isMailAddress(email) && "must be like you@example.com") ||
      (holder && holder.id !== current?.id && "belongs to an account already"),
    name: tooLong(name, MAX_NAME_LENGTH),
  });
}

/** @throws Refusal (conflict) if there is no other active admin */
export function assertOtherAdmin(platen: Platen, account: Account, change = "be removed"): void {
  const isOtherActiveAdmin = ({ id, isAdmin, disabledAt }: Account) =>
    isAdmin && disabledAt === null && id !== account.id;
  if (!listAccounts(platen).some(isOtherActiveAdmin))
    throw conflict(`This is the last admin and cannot ${change}. Make another account an admin first.`);
}

export function hasAccounts(platen: Platen): boolean {
  return countRows(platen, accounts) > 0;
}

export function accountWithEmail(platen: Platen, email: string): Account | undefined {
  return findRow(platen, accounts, sql`lower(${accounts.email}) = lower(${email.trim()})`);
}

export const accountById = findRowByColumn(accounts, "id");

export function listAccounts(platen: Platen): Account[] {
  return findRows(platen, accounts, undefined, { orderBy: accounts.id });
}
