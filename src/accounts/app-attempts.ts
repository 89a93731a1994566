import { MINUTE } from "../config/units";
import type { Platen } from "../platen";
import { cleanText } from "../text/clean-text";
import type { Account } from "./accounts";

/** Kept of each account, and of all of whom nobody knows whose they are. */
const MOST_KEPT = 12;
/** Of each text, in characters: they are others' words. */
const LONGEST = 300;
/** What an app asks belongs to the account that it has asked for so short a time ago, in milliseconds. */
const SAME_APP_WITHIN = 15 * MINUTE;

/** The outcome of what did, where there is no more to say. */
export const WORKED = "It worked.";

/** Something that an app asked of a blog, by IndieAuth or Micropub. No token is in it. */
export interface AppAttempt {
  at: Date;
  /** What it is called: its key's name, its host, or what it says it is. */
  app: string;
  /** It wanted to …: "sign in", "upload a file". */
  asked: string;
  /** A plain sentence. */
  outcome: string;
  isGood: boolean;
}

type Kept = AppAttempt & { clientId: string | null };

/** In memory: it is for somebody who is trying an app out. By account id; null: nobody knows whose. */
const attempts = new WeakMap<Platen, Map<number | null, Kept[]>>();

/**
 * An app has asked something. @param accountId whose blog it was about; null: not known, unless the app with this
 * client_id has just asked something of somebody
 */
export function recordAppAttempt(
  platen: Platen,
  accountId: number | null,
  { clientId = null, ...attempt }: Omit<AppAttempt, "at"> & { clientId?: string | null },
): void {
  const all = attempts.getOrInsertComputed(platen, () => new Map<number | null, Kept[]>());
  const at = platen.now();
  const cut = (text: string) => cleanText(text).slice(0, LONGEST);
  const { app, asked, outcome, isGood } = attempt;
  const kept = { at, app: cut(app), asked: cut(asked), outcome: cut(outcome), isGood, clientId };
  const whose = accountId ?? (clientId === null ? null : lastAskedBy(all, clientId, at));
  all.set(whose, [kept, ...(all.get(whose) ?? [])].slice(0, MOST_KEPT));
}

function lastAskedBy(all: Map<number | null, Kept[]>, clientId: string, at: Date): number | null {
  const isRecent = (one: Kept) =>
    one.clientId === clientId && at.getTime() - one.at.getTime() < SAME_APP_WITHIN;
  const [found] = all.entries().find(([whose, kept]) => whose !== null && kept.some(isRecent)) ?? [];
  return found ?? null;
}

/** The newest first; admins are told too of what nobody knows whose it is: a wrong key, or none. */
export function listAppAttempts(platen: Platen, { id, isAdmin }: Account): AppAttempt[] {
  const all = attempts.get(platen);
  const own = all?.get(id) ?? [];
  const others = isAdmin ? (all?.get(null) ?? []) : [];
  return [...own, ...others].sort((one, other) => other.at.getTime() - one.at.getTime()).slice(0, MOST_KEPT);
}
