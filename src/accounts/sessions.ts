import { and, desc, eq, gt, lte, ne } from "drizzle-orm";
import { DAY, HOUR } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { deleteRow, deleteRows, findRowByColumn, findRows, insertRow, updateRows } from "../database/rows";
import { sessions } from "../database/schema";
import { unlessLocked } from "../database/transactions";
import type { Platen } from "../platen";
import { hashSecret, newSecret } from "../secrets";
import { type Account, accountById } from "./accounts";
import { type Act, recordAuditEvent } from "./audit-log";

const MAX_IDLE_MS = 30 * DAY;
/** Even an active session ends after this time, which limits the use of a stolen cookie. */
const MAX_SESSION_MS = 90 * DAY;
const SEEN_INTERVAL_MS = HOUR;

const MAX_LISTED = 200;

export type Session = typeof sessions.$inferSelect;
export type SessionOrigin = Pick<Session, "device" | "place">;

export type SessionStart = Extract<Act, `signed in${string}`>;

/** @returns value of the session cookie; only its hash is stored */
export function startSession(
  platen: Platen,
  account: Account,
  { device, place }: SessionOrigin = { device: "", place: "" },
  how: SessionStart = "signed in",
): string {
  const text = newSecret();
  const at = platen.now();
  const times = { createdAt: at, expiresAt: expiryOf({ createdAt: at }, at), lastSeenAt: at };
  insertRow(platen, sessions, { hash: hashSecret(text), accountId: account.id, device, place, ...times });
  recordAuditEvent(platen, how, { account, about: [device, place].filter(Boolean).join(", ") });
  return text;
}

const sessionWithHash = findRowByColumn(sessions, "hash");

/** @returns null if the session is unknown or expired, or the account is disabled */
export function accountInSession(platen: Platen, text: string): Account | null {
  const at = platen.now();
  const session = sessionWithHash(platen, hashSecret(text));
  const account = session && accountById(platen, session.accountId);
  if (!account || account.disabledAt) return null;
  const expiresAt = expiryOf(session, at);
  if (session.expiresAt <= at || expiresAt <= at) return null;
  const seenAt = session.lastSeenAt?.getTime() ?? 0;
  if (Math.abs(at.getTime() - seenAt) >= SEEN_INTERVAL_MS)
    unlessLocked(platen, () => updateSession(platen, session.hash, { expiresAt, lastSeenAt: at }));
  return account;
}

export function confirmSession(platen: Platen, text: string): void {
  updateSession(platen, hashSecret(text), { confirmedAt: platen.now() });
}

function updateSession(platen: Platen, hash: string, changes: Partial<Session>): void {
  keepDataVersion(platen, () => updateRows(platen, sessions, { hash }, changes));
}

export function isConfirmedWithin(platen: Platen, text: string, milliseconds: number): boolean {
  const session = sessionWithHash(platen, hashSecret(text));
  if (!session) return false;
  const confirmedAt = session.confirmedAt ?? session.createdAt;
  return Math.abs(platen.now().getTime() - confirmedAt.getTime()) < milliseconds;
}

export function endSession(platen: Platen, text: string): void {
  deleteRows(platen, sessions, { hash: hashSecret(text) });
}

export function sessionsOf(platen: Platen, account: Account): Session[] {
  const isCurrent = and(eq(sessions.accountId, account.id), gt(sessions.expiresAt, platen.now()));
  const orderBy = [desc(sessions.lastSeenAt), desc(sessions.createdAt)];
  return findRows(platen, sessions, isCurrent, { orderBy, limit: MAX_LISTED });
}

export function endSessionOf(platen: Platen, account: Account, hash: string): boolean {
  const ended = deleteRow(platen, sessions, { accountId: account.id, hash });
  if (ended) recordAuditEvent(platen, "ended sessions", { account, about: ended.device });
  return ended !== undefined;
}

export function endOtherSessions(platen: Platen, account: Account, keptToken: string): number {
  const ended = endSessions(platen, account, keptToken);
  if (ended > 0) recordAuditEvent(platen, "ended sessions", { account, about: `${ended} others` });
  return ended;
}

export function endSessions(platen: Platen, account: Account, keptToken?: string): number {
  const isOther = keptToken === undefined ? undefined : ne(sessions.hash, hashSecret(keptToken));
  return deleteRows(platen, sessions, and(eq(sessions.accountId, account.id), isOther));
}

export function deleteEndedSessions(platen: Platen): void {
  deleteRows(platen, sessions, lte(sessions.expiresAt, platen.now()));
}

function expiryOf({ createdAt }: { createdAt: Date }, at: Date): Date {
  return new Date(Math.min(at.getTime() + MAX_IDLE_MS, createdAt.getTime() + MAX_SESSION_MS));
}
