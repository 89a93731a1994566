import { and, count, desc, eq, gt, isNull, lt, max, or, sql } from "drizzle-orm";
import { HOUR } from "../config/units";
import { keepDataVersion } from "../database/data-version";
import { acts } from "../database/schema";
import type { Platen } from "../platen";

/** How long acts are kept, in milliseconds, and how many at most. */
const KEPT_FOR = 365 * 24 * HOUR;
const MOST_KEPT = 10_000;
/** In characters. */
const LONGEST_ABOUT = 300;

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
  | "moved a blog"
  | "began to remove a blog"
  | "removed a blog"
  | "deleted posts for good";

export type ActRow = typeof acts.$inferSelect;

/** An account, as far as it matters here. */
interface Whose {
  id: number;
  email: string;
}

interface Done {
  /** Null: of nobody who has an account. */
  account: Whose | null;
  about?: string;
  /** Who did it, where that is not the account itself; null: nobody that is known. */
  by?: Whose | null;
}

/**
 * Notes what was done; to be called in the transaction that does it. No page is made of it, so the answers in memory stay
 * good. In a command's process all is done by the command line.
 */
export function recordAuditEvent(
  platen: Platen,
  act: Act,
  { account, about = "", by = account }: Done,
): void {
  keepDataVersion(platen, () => insert(platen, act, { account, about, by }));
}

function insert(platen: Platen, act: Act, { account, about = "", by }: Done): void {
  platen.db
    .insert(acts)
    .values({
      accountId: account?.id ?? null,
      by: platen.isCommand ? "the command line" : (by?.email ?? "somebody"),
      act,
      about: about.slice(0, LONGEST_ABOUT),
      createdAt: platen.now(),
    })
    .run();
}

/** Wrong passwords and codes are told together, by the hour: a guesser fills no list. @param account null: of an unknown e-mail address */
export function recordFailedSignIn(platen: Platen, account: Whose | null, about: string): void {
  const since = new Date(platen.now().getTime() - HOUR);
  const isOf = account ? eq(acts.accountId, account.id) : isNull(acts.accountId);
  const isSame = and(isOf, gt(acts.createdAt, since), eq(acts.act, "sign-in failed"));
  keepDataVersion(platen, () => {
    const more = { times: sql`${acts.times} + 1` };
    const told = platen.db.update(acts).set(more).where(isSame).returning({ id: acts.id }).all();
    if (told.length === 0) insert(platen, "sign-in failed", { account, about, by: null });
  });
}

/** The newest first. @param account null: of all. @param page from 1 */
export function listAuditEvents(
  platen: Platen,
  account: Whose | null,
  page: number,
  limit: number,
): ActRow[] {
  return platen.db
    .select()
    .from(acts)
    .where(account ? eq(acts.accountId, account.id) : undefined)
    .orderBy(desc(acts.id))
    .limit(limit)
    .offset((page - 1) * limit)
    .all();
}

/** @param account null: of all */
export function countAuditEvents(platen: Platen, account: Whose | null): number {
  const isOf = account ? eq(acts.accountId, account.id) : undefined;
  return platen.db.select({ n: count() }).from(acts).where(isOf).get()?.n ?? 0;
}

export function deleteOldAuditEvents(platen: Platen): void {
  const newest =
    platen.db
      .select({ id: max(acts.id) })
      .from(acts)
      .get()?.id ?? 0;
  const since = new Date(platen.now().getTime() - KEPT_FOR);
  keepDataVersion(platen, () =>
    platen.db
      .delete(acts)
      .where(or(lt(acts.createdAt, since), lt(acts.id, newest - MOST_KEPT + 1)))
      .run(),
  );
}
