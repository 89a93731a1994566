import { eq } from "drizzle-orm";
import { accounts, sessions } from "../database/schema";
import type { Platen } from "../platen";
import type { Account } from "./accounts";
import { hashOf, newSecretText } from "./secrets";

const DAY = 24 * 60 * 60 * 1000;
/** A session ends when it has lain unused for so long. */
const LASTS = 30 * DAY;
/** Use is written down once a day at most: looking at a page is no write. */
const NOTED_EVERY = DAY;

/** Signs an account in. The text given back goes into a cookie; only its hash is kept. */
export function startSession(platen: Platen, account: Account): string {
  const text = newSecretText();
  const at = platen.now();
  platen.db
    .insert(sessions)
    .values({ hash: hashOf(text), accountId: account.id, createdAt: at, expiresAt: after(at) })
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
  if (!found || found.session.expiresAt <= at) return null;
  if (after(at).getTime() - found.session.expiresAt.getTime() >= NOTED_EVERY)
    platen.db
      .update(sessions)
      .set({ expiresAt: after(at) })
      .where(eq(sessions.hash, found.session.hash))
      .run();
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

function after(at: Date): Date {
  return new Date(at.getTime() + LASTS);
}
