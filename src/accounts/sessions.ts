import { eq, lte } from "drizzle-orm";
import { accounts, sessions } from "../database/schema";
import type { Platen } from "../platen";
import { hashOf, newSecretText } from "../secrets";
import type { Account } from "./accounts";

const DAY = 24 * 60 * 60 * 1000;
/** A session ends after so long without use, in milliseconds. */
const SESSION_LIFETIME = 30 * DAY;
/** And after so long whatever its use, in milliseconds: a stolen cookie does not serve for ever. */
const LONGEST_SESSION = 90 * DAY;
/** How often its end is moved at most, in milliseconds, so that reading pages does not write to the database. */
const EXTENDED_EVERY = DAY;

/** Signs an account in. @returns the text for the cookie; only its hash is kept */
export function startSession(platen: Platen, account: Account): string {
  const text = newSecretText();
  const at = platen.now();
  platen.db
    .insert(sessions)
    .values({
      hash: hashOf(text),
      accountId: account.id,
      createdAt: at,
      expiresAt: expiryOf({ createdAt: at }, at),
    })
    .run();
  return text;
}

/** Who is signed in with this text; null where it is unknown or past its time. */
export function accountInSession(platen: Platen, text: string): Account | null {
  const at = platen.now();
  const found = platen.db
    .select({ session: sessions, account: accounts })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(eq(sessions.hash, hashOf(text)))
    .get();
  if (!found) return null;
  const expiresAt = expiryOf(found.session, at);
  if (found.session.expiresAt <= at || expiresAt <= at) return null;
  if (expiresAt.getTime() - found.session.expiresAt.getTime() >= EXTENDED_EVERY)
    platen.db.update(sessions).set({ expiresAt }).where(eq(sessions.hash, found.session.hash)).run();
  return found.account;
}

export function endSession(platen: Platen, text: string): void {
  platen.db
    .delete(sessions)
    .where(eq(sessions.hash, hashOf(text)))
    .run();
}

export function endAllSessions(platen: Platen, account: Account): void {
  platen.db.delete(sessions).where(eq(sessions.accountId, account.id)).run();
}

export function deleteEndedSessions(platen: Platen): void {
  platen.db.delete(sessions).where(lte(sessions.expiresAt, platen.now())).run();
}

/** When a session ends that is used now. */
function expiryOf({ createdAt }: { createdAt: Date }, at: Date): Date {
  return new Date(Math.min(at.getTime() + SESSION_LIFETIME, createdAt.getTime() + LONGEST_SESSION));
}
