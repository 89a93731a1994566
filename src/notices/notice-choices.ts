import type { Account } from "../accounts/accounts";
import { updateRows } from "../database/rows";
import { accounts } from "../database/schema";
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
