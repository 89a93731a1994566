import { type Account, accountWithEmail } from "../accounts/accounts";
import { deleteRows, updateRows } from "../database/rows";
import { accounts, events } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Event } from "../deliveries/channel";
import { deliverTo, recordEvent } from "../deliveries/events-and-debouncing";
import { getRelay } from "../mail/relay-settings";
import type { Platen } from "../platen";

export const READERS_CHOICES = {
  now: "At once",
  hourly: "Together, every hour",
  daily: "Together, every day",
  off: "Never",
};

export function isReadersChoice(text: string): text is keyof typeof READERS_CHOICES {
  return Object.hasOwn(READERS_CHOICES, text);
}

/** A mail that is already scheduled keeps its time, unless `readers` is "off". */
export function setNoticeChoices(platen: Platen, { id }: Account, notices: Account["notices"]): void {
  const changes = notices.readers === "off" ? { notices, noticeDue: null } : { notices };
  updateRows(platen, accounts, { id }, changes);
}

export type NoticeName =
  | "readers wrote"
  | "signed in"
  | "changed the e-mail address"
  | "changed the password"
  | "forgot the password"
  | "webhook turned off"
  | "copies stopped"
  | "backup failed"
  | "disk nearly full";

export interface NoticeDetails {
  /**
   * Recipient; default: the account's address. For "forgot the password": the typed address, to find the
   * account.
   */
  to?: string;
  about?: string;
  path?: string;
  komment?: number;
  message?: number;
}

const CHANNEL = "notices";
/** The only receiver. */
const RELAY = "mail";

/** Does nothing without a relay, or if the account has turned off notices about sign-ins or problems. */
export function recordNotice(
  platen: Platen,
  account: Account,
  name: NoticeName,
  details: NoticeDetails = {},
): void {
  if (!getRelay(platen) || !isWanted(account, name)) return;
  const event = { channel: CHANNEL, blogId: null, name, payload: JSON.stringify(details) };
  inTransaction(platen, () =>
    deliverTo(platen, recordEvent(platen, { ...event, isQueued: true }), RELAY, [String(account.id)]),
  );
}

function isWanted({ notices }: Account, name: NoticeName): boolean {
  if (name === "signed in") return notices.signIns !== "off";
  if (/^(webhook|copies|backup|disk)/.test(name)) return notices.problems !== "off";
  return true;
}

/**
 * The delivery loop looks up the account later. A lookup here would reveal by its duration whether the
 * account exists.
 */
export function requestPasswordReset(platen: Platen, email: string): void {
  const payload = JSON.stringify({ to: email });
  const name: NoticeName = "forgot the password";
  recordEvent(platen, { channel: CHANNEL, blogId: null, name, payload });
}

export function queueNotice(platen: Platen, event: Event): void {
  const account = accountWithEmail(platen, (JSON.parse(event.payload) as NoticeDetails).to ?? "");
  // The address may be a stranger's, so the event is deleted.
  if (!account || account.disabledAt) deleteRows(platen, events, { id: event.id });
  else deliverTo(platen, event, RELAY, [String(account.id)]);
}
