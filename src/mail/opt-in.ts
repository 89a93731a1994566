import { and, eq, gt } from "drizzle-orm";
import { DAY, HOUR } from "../config/units";
import { countRows, insertRow } from "../database/rows";
import { subscriptionRequests } from "../database/schema";
import type { Platen } from "../platen";
import { hashSecret, isEqualSecret, type Purpose, signText } from "../secrets";

/** Per IP address (IPv6: /64), in all forms together. */
export const MAIL_REQUEST_LIMIT = { most: 5, within: HOUR };
/** Per instance. Otherwise many computers together could use the relay to mail many strangers. */
export const ALL_MAIL_REQUESTS_LIMIT = { most: 300, within: HOUR };
/** Mails to one address, from all blogs and forms together. */
const MAX_REQUESTS_PER_DAY = 3;
export const CONFIRM_WITHIN_MS = 7 * DAY;
const SIGNATURE_LENGTH = 32;

export const hashAddress = hashSecret;

/**
 * Call this in a transaction.
 * @param address from `parseMailAddress`
 * @returns false if the address has reached its daily limit
 */
export function countMailRequest(platen: Platen, address: string): boolean {
  const at = platen.now();
  const addressHash = hashAddress(address);
  const isOfAddress = eq(subscriptionRequests.addressHash, addressHash);
  const sinceYesterday = and(isOfAddress, gt(subscriptionRequests.at, new Date(at.getTime() - DAY)));
  if (countRows(platen, subscriptionRequests, sinceYesterday) >= MAX_REQUESTS_PER_DAY) return false;
  insertRow(platen, subscriptionRequests, { addressHash, at });
  return true;
}

/** Row of a reader. A new address in the row invalidates the tokens that were sent before. */
export interface MailReader {
  id: number;
  addressHash: string;
}

/** @param expires whether the token is valid only for CONFIRM_WITHIN_MS */
export function mailToken(platen: Platen, purpose: Purpose, reader: MailReader, expires = false): string {
  const end = expires ? (platen.now().getTime() + CONFIRM_WITHIN_MS).toString(36) : "";
  return [reader.id, end, sign(platen, purpose, reader, end)].filter((part) => part !== "").join(".");
}

/** @returns null if the token is forged or expired, or if its row was deleted or has a new address */
export function readerOfToken<Reader extends MailReader>(
  platen: Platen,
  purpose: Purpose,
  token: string,
  find: (id: number) => Reader | undefined | null,
): Reader | null {
  const [, id = "", end = "", signature = ""] =
    /^(\d{1,15})\.(?:([0-9a-z]{1,10})\.)?([\w-]+)$/.exec(token) ?? [];
  const reader = id ? find(Number(id)) : null;
  if (!reader || (end && Number.parseInt(end, 36) < platen.now().getTime())) return null;
  return isEqualSecret(signature, sign(platen, purpose, reader, end)) ? reader : null;
}

function sign(platen: Platen, purpose: Purpose, { id, addressHash }: MailReader, end: string): string {
  return signText(platen, purpose, `${id} ${addressHash} ${end}`).slice(0, SIGNATURE_LENGTH);
}
