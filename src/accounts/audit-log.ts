import { and, desc, gt, lt, or, sql } from "drizzle-orm";
import { HOUR } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { countRows, deleteRows, findRows, hasValues, insertRow, updateRow } from "../database/rows";
import { type accounts, acts } from "../database/schema";
import type { Platen } from "../platen";

const RETENTION_MS = 365 * 24 * HOUR;
const MAX_EVENTS = 10_000;
const MAX_ABOUT_LENGTH = 300;

export type Act =
  | "signed in"
  | "signed in with a passkey"
  | "sign-in failed"
  | "used a recovery code"
  | "changed the password"
  | "changed name or e-mail"
  | "ended sessions"
  | "turned codes on"
  | "turned codes off"
  | "made recovery codes"
  | "added a passkey"
  | "removed a passkey"
  | "made a key"
  | "revoked a key"
  | "revoked keys of apps"
  | "added an account"
  | "invited"
  | "revoked an invitation"
  | "made admin"
  | "made author"
  | "disabled"
  | "enabled"
  | "began to remove an account"
  | "removed an account"
  | "added a blog"
  | "changed settings"
  | "changed backups"
  | "changed the mail relay"
  | "moved a blog"
  | "began to remove a blog"
  | "removed a blog"
  | "deleted posts permanently";

export type ActRow = typeof acts.$inferSelect;

type AuditedAccount = Pick<typeof accounts.$inferSelect, "id" | "email">;

interface EventDetails {
  account: AuditedAccount | null;
  about?: string;
  /** By default the affected account; null if unknown. */
  by?: AuditedAccount | null;
}

/** Call this function in the transaction of the change. */
export function recordAuditEvent(
  platen: Platen,
  act: Act,
  { account, about = "", by = account }: EventDetails,
): void {
  const values = {
    accountId: account?.id,
    by: platen.isCommand ? "the command line" : (by?.email ?? "someone"),
    act,
    about: about.slice(0, MAX_ABOUT_LENGTH),
    createdAt: platen.now(),
  };
  keepDataVersion(platen, () => insertRow(platen, acts, values));
}

/**
 * An account's failures within an hour share one event, so that guessing cannot flood the log.
 * @param account null for an unknown e-mail address
 */
export function recordFailedSignIn(platen: Platen, account: AuditedAccount | null, about: string): void {
  const since = new Date(platen.now().getTime() - HOUR);
  const isFailure = hasValues(acts, { accountId: account?.id ?? null, act: "sign-in failed" });
  const isRecentFailure = and(isFailure, gt(acts.createdAt, since));
  const more = { times: sql`${acts.times} + 1` };
  const counted = keepDataVersion(platen, () => updateRow(platen, acts, isRecentFailure, more));
  if (!counted) recordAuditEvent(platen, "sign-in failed", { account, about, by: null });
}

export function listAuditEvents(platen: Platen, account: AuditedAccount | null, page: number, limit: number) {
  const where = account ? { accountId: account.id } : undefined;
  return findRows(platen, acts, where, { orderBy: desc(acts.id), page, limit });
}

export function countAuditEvents(platen: Platen, account: AuditedAccount | null): number {
  return countRows(platen, acts, account ? { accountId: account.id } : undefined);
}

export function deleteOldAuditEvents(platen: Platen): void {
  const since = new Date(platen.now().getTime() - RETENTION_MS);
  const isOverLimit = sql`${acts.id} <= (select max(id) from acts) - ${MAX_EVENTS}`;
  keepDataVersion(platen, () => deleteRows(platen, acts, or(lt(acts.createdAt, since), isOverLimit)));
}
