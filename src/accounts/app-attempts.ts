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
  action: string;
  outcome: string;
  isSuccess: boolean;
}

type Kept = AppAttempt & { clientId: string | null };

/** Account id → recent requests, newest first. The key null holds requests of unknown accounts. */
const attempts = new WeakMap<Platen, Map<number | null, Kept[]>>();

/**
 * @param accountId null if unknown; then the request counts for an account that recently used this app, if
 * there is one
 */
export function recordAppAttempt(
  platen: Platen,
  accountId: number | null,
  { clientId = null, ...attempt }: Omit<AppAttempt, "at"> & { clientId?: string | null },
): void {
  const all = attempts.getOrInsertComputed(platen, () => new Map<number | null, Kept[]>());
  const at = platen.now();
  const cut = (text: string) => cleanText(text).slice(0, MAX_TEXT_LENGTH);
  const { app, action, outcome, isSuccess } = attempt;
  const entry = { at, app: cut(app), action: cut(action), outcome: cut(outcome), isSuccess, clientId };
  const whose = accountId ?? (clientId === null ? null : recentAccountOfApp(all, clientId, at));
  all.set(whose, [entry, ...(all.get(whose) ?? [])].slice(0, MAX_ATTEMPTS));
}

function recentAccountOfApp(all: Map<number | null, Kept[]>, clientId: string, at: Date): number | null {
  const isRecent = (one: Kept) =>
    one.clientId === clientId && at.getTime() - one.at.getTime() < SAME_APP_WINDOW_MS;
  const [found] = all.entries().find(([whose, kept]) => whose !== null && kept.some(isRecent)) ?? [];
  return found ?? null;
}

export function listAppAttempts(platen: Platen, { id, isAdmin }: Account): AppAttempt[] {
  const all = attempts.get(platen);
  const ownAttempts = all?.get(id) ?? [];
  const others = isAdmin ? (all?.get(null) ?? []) : [];
  return [...ownAttempts, ...others]
    .sort((one, other) => other.at.getTime() - one.at.getTime())
    .slice(0, MAX_ATTEMPTS);
}
