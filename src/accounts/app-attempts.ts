import { MINUTE } from "../config/units";
import type { Platen } from "../platen";
import { cleanText } from "../text/clean-text";
import type { Account } from "./accounts";

const MAX_ATTEMPTS = 12;
const MAX_TEXT_LENGTH = 300;
const SAME_APP_WINDOW_MS = 15 * MINUTE;

export const WORKED = "It worked.";

/** Must not contain tokens. */
export interface AppAttempt {
  at: Date;
  app: string;
  clientId: string | null;
  action: string;
  outcome: string;
  isSuccess: boolean;
}

/** Account id → recent requests, newest first. The key null holds requests of unknown accounts. */
const attempts = new WeakMap<Platen, Map<number | null, AppAttempt[]>>();

/**
 * @param accountId null if unknown; then the request counts for an account that recently used this app, if
 * there is one
 */
export function recordAppAttempt(platen: Platen, accountId: number | null, attempt: Omit<AppAttempt, "at">) {
  const all = attempts.getOrInsertComputed(platen, () => new Map<number | null, AppAttempt[]>());
  const at = platen.now();
  const { clientId } = attempt;
  const isRecentUse = (one: AppAttempt) =>
    clientId !== null && one.clientId === clientId && at.getTime() - one.at.getTime() < SAME_APP_WINDOW_MS;
  const [recent = null] = all.entries().find(([id, past]) => id !== null && past.some(isRecentUse)) ?? [];
  const cut = (text: string) => cleanText(text).slice(0, MAX_TEXT_LENGTH);
  const texts = { app: cut(attempt.app), action: cut(attempt.action), outcome: cut(attempt.outcome) };
  const whose = accountId ?? recent;
  all.set(whose, [{ ...attempt, ...texts, at }, ...(all.get(whose) ?? [])].slice(0, MAX_ATTEMPTS));
}

export function listAppAttempts(platen: Platen, { id, isAdmin }: Account): AppAttempt[] {
  const all = attempts.get(platen);
  const ownAttempts = all?.get(id) ?? [];
  const others = isAdmin ? (all?.get(null) ?? []) : [];
  return [...ownAttempts, ...others]
    .sort((one, other) => other.at.getTime() - one.at.getTime())
    .slice(0, MAX_ATTEMPTS);
}
