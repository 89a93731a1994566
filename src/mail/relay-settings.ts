import { and, eq, gt, inArray, isNotNull } from "drizzle-orm";
import {
  DEFAULT_MAIL_PER_HOUR,
  isMailAddress,
  parseMailPerHour,
  parseRelayUrl,
  type Relay,
} from "../config/mail-settings";
import { HOUR } from "../config/units";
import { deleteSetting, getSetting, saveSetting } from "../database/instance-settings";
import { attempts, receivers } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { changeReceiver } from "../deliveries/receivers";
import { assertNoFieldErrors, type FieldErrors } from "../errors";
import type { Platen } from "../platen";

const SETTING = "mail relay";
const PER_HOUR = "mails per hour";

interface RelayInput {
  /** `smtp://user@host:587` or `smtps://user@host:465`; empty: no mail. */
  url: string;
  /** null keeps the stored password, unless host or user change. */
  password: string | null;
  from: string;
  perHour?: string;
}

/** The relay from the environment has priority over the stored one. null: this instance sends no mail. */
export function getRelay(platen: Platen): Relay | null {
  return platen.config.relay ?? storedRelay(platen);
}

function storedRelay(platen: Platen): Relay | null {
  const stored = getSetting(platen, SETTING);
  return stored === undefined ? null : JSON.parse(stored);
}

/** Limit for all mails to readers together. PLATEN_MAIL_PER_HOUR has priority over the stored value. */
export function mailPerHour(platen: Platen): number {
  return platen.config.mailPerHour ?? Number(getSetting(platen, PER_HOUR) ?? DEFAULT_MAIL_PER_HOUR);
}

export const mailPace = (platen: Platen) => ({ starts: mailPerHour(platen), within: HOUR, group: "mail" });

const MAIL_CHANNELS = ["notices", "newsletter", "newsletter.confirmation", "answers"];

function restingReceivers({ db, now }: Platen) {
  const isWaiting = and(inArray(receivers.channel, MAIL_CHANNELS), isNotNull(receivers.nextDue));
  return db
    .select({ id: receivers.id, failure: attempts.failure })
    .from(receivers)
    .leftJoin(attempts, eq(attempts.id, receivers.lastAttemptId))
    .where(and(isWaiting, gt(receivers.pausedUntil, now())))
    .all();
}

/**
 * Returns the last error of the relay, such as a refused login; null if no mail waits because of an error.
 */
export function relayProblem(platen: Platen): string | null {
  return restingReceivers(platen).find(({ failure }) => failure !== null)?.failure ?? null;
}

/** Ends the pause after an error. Call this after the relay was changed or works again. */
export function resumeMail(platen: Platen): void {
  inTransaction(platen, () => {
    for (const { id } of restingReceivers(platen)) changeReceiver(platen, id, { pausedUntil: null });
  });
}

export function relayUrl({ host, port, isSecure, user }: Relay): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `${isSecure ? "smtps" : "smtp"}://${user ? `${encodeURIComponent(user)}@` : ""}${name}:${port}`;
}

/** An empty `url` removes the relay. */
export function saveRelay(platen: Platen, { url, password, from, perHour = "" }: RelayInput): void {
  if (url.trim() === "") {
    deleteSetting(platen, SETTING);
    return;
  }
  const parsed = parseRelayUrl(url.trim());
  const errors: FieldErrors = {};
  if (typeof parsed === "string") errors.url = [parsed];
  if (!isMailAddress(from.trim())) errors.from = ["must be an e-mail address, such as blog@example.com"];
  if (perHour !== "" && parseMailPerHour(perHour) === null) errors.per_hour = ["must be a number like 500"];
  assertNoFieldErrors(errors);
  const relay = parsed as Exclude<typeof parsed, string>;
  const stored = storedRelay(platen);
  // A password goes only to the host that it was typed for.
  const isSame = stored?.host === relay.host && stored.user === relay.user;
  const newPassword = relay.password ?? password ?? (isSame ? stored.password : null);
  saveSetting(platen, SETTING, JSON.stringify({ ...relay, password: newPassword, from: from.trim() }));
  if (perHour === "") deleteSetting(platen, PER_HOUR);
  else saveSetting(platen, PER_HOUR, perHour);
  resumeMail(platen);
}
