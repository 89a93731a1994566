/** Double opt-in and leaving. A token proves that somebody reads the mails of an address. */
import { and, count, eq, gt } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { DAY } from "../config/units";
import { prepared } from "../database/prepared";
import { subscriptionRequests } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { isEqualSecret, signText } from "../secrets";
import {
  assertRoom,
  hashAddress,
  insertSubscriber,
  markLeft,
  requireMailAddress,
  type Subscriber,
  subscriberById,
  subscriberWithAddress,
  updateSubscriber,
} from "./subscribers";

/** An address gets at most this many mails a day, from all blogs together. */
const MAX_REQUESTS_PER_DAY = 3;
const CONFIRM_WITHIN_MS = 7 * DAY;
/** 192 bits. */
const SIGNATURE_LENGTH = 32;

/**
 * Handles a request to subscribe. Whether the address is known must not be seen from outside, so nothing is returned.
 * @param sendConfirmation queues the mail with the link; called in the transaction
 * @throws Refusal: invalid for `address`; conflict if the blog has too many subscribers
 */
export function requestSubscription(
  platen: Platen,
  blog: Blog,
  typed: string,
  sendConfirmation: (reader: Subscriber) => void,
): void {
  const address = requireMailAddress(typed);
  inTransaction(platen, () => {
    assertRoom(platen, blog);
    if (!countRequest(platen, address)) return;
    const known = subscriberWithAddress(platen, blog, address);
    if (known?.state === "confirmed") return;
    const fields = { state: "asked" as const, address, askedAt: platen.now(), language: blog.language };
    if (known) updateSubscriber(platen, known.id, fields);
    const row = known ? { ...known, ...fields } : insertSubscriber(platen, blog, address, fields);
    sendConfirmation(row);
  });
}

/** @returns false if the address has reached its daily limit of mails */
function countRequest(platen: Platen, address: string): boolean {
  const at = platen.now();
  const addressHash = hashAddress(address);
  const sinceYesterday = and(
    eq(subscriptionRequests.addressHash, addressHash),
    gt(subscriptionRequests.at, new Date(at.getTime() - DAY)),
  );
  const found = platen.db.select({ n: count() }).from(subscriptionRequests).where(sinceYesterday).get();
  if ((found?.n ?? 0) >= MAX_REQUESTS_PER_DAY) return false;
  platen.db.insert(subscriptionRequests).values({ addressHash, at }).run();
  return true;
}

/** Finds the reader of a confirmation link. @returns null if it is forged or expired, or they have left since */
export function readerToConfirm(platen: Platen, blog: Blog, token: string): Subscriber | null {
  const [, id = "", expires = "", signature = ""] =
    /^(\d{1,15})\.([0-9a-z]{1,10})\.([\w-]+)$/.exec(token) ?? [];
  const reader = id ? subscriberById(platen, blog, Number(id)) : undefined;
  if (!reader || Number.parseInt(expires, 36) < platen.now().getTime()) return null;
  const isOurs = isEqualSecret(signature, sign(platen, "newsletter confirmations", reader, expires));
  return isOurs && reader.state !== "left" ? reader : null;
}

/** @returns the subscriber; null like `readerToConfirm` */
export function confirmSubscription(platen: Platen, blog: Blog, token: string): Subscriber | null {
  return inTransaction(platen, () => {
    const reader = readerToConfirm(platen, blog, token);
    if (!reader || reader.state === "confirmed") return reader;
    const fields = { state: "confirmed" as const, confirmedAt: platen.now(), failures: 0 };
    updateSubscriber(platen, reader.id, { ...fields, leftAt: null, leftIssueId: null });
    return { ...reader, ...fields };
  });
}

/**
 * Unsubscribes the reader of a token. A forged token, or one of somebody who is gone, changes nothing.
 * @param issueId the issue whose link was used, if known
 */
export function leaveNewsletter(platen: Platen, blog: Blog, token: string, issueId: number | null): void {
  const [, id = "", signature = ""] = /^(\d{1,15})\.([\w-]+)$/.exec(token) ?? [];
  inTransaction(platen, () => {
    const reader = id ? subscriberById(platen, blog, Number(id)) : undefined;
    if (!reader || reader.state === "left") return;
    if (isEqualSecret(signature, sign(platen, "newsletter departures", reader)))
      markLeft(platen, reader, issueId);
  });
}

/** A token for the link in the mail, valid for 7 days. */
export function confirmToken(platen: Platen, reader: Pick<Subscriber, "id" | "addressHash">): string {
  const expires = (platen.now().getTime() + CONFIRM_WITHIN_MS).toString(36);
  return `${reader.id}.${expires}.${sign(platen, "newsletter confirmations", reader, expires)}`;
}

/** A token for the leave link of every mail. It does not expire. */
export function leaveToken(platen: Platen, reader: Pick<Subscriber, "id" | "addressHash">): string {
  return `${reader.id}.${sign(platen, "newsletter departures", reader)}`;
}

function sign(
  platen: Platen,
  purpose: "newsletter confirmations" | "newsletter departures",
  { id, addressHash }: Pick<Subscriber, "id" | "addressHash">,
  expires = "",
): string {
  return signText(platen, purpose, `${id} ${addressHash} ${expires}`).slice(0, SIGNATURE_LENGTH);
}

const MAX_EXPIRED = 500;

/**
 * Deletes requests that nobody confirmed within 7 days. Somebody who had left before is marked as left again.
 * @returns true if there may be more
 */
export function deleteExpiredRequests(platen: Platen): boolean {
  const at = platen.now().getTime();
  return inTransaction(platen, () => {
    const { changes: old } = deleteOldCounts(platen).run(at - DAY, MAX_EXPIRED);
    const { changes: left } = markLeftAgain(platen).run(at - CONFIRM_WITHIN_MS, MAX_EXPIRED);
    const { changes: deleted } = deleteUnconfirmed(platen).run(at - CONFIRM_WITHIN_MS, MAX_EXPIRED);
    return [old, left, deleted].includes(MAX_EXPIRED);
  });
}

const expired = (condition: string) => `
  WHERE id IN (SELECT id FROM subscribers WHERE state = 'asked' AND asked_at < ? AND ${condition} LIMIT ?)`;

const deleteOldCounts = prepared((db) =>
  db.$client.query<void, [number, number]>(
    "DELETE FROM subscription_requests WHERE id IN (SELECT id FROM subscription_requests WHERE at < ? LIMIT ?)",
  ),
);
const markLeftAgain = prepared((db) =>
  db.$client.query<void, [number, number]>(
    `UPDATE subscribers SET state = 'left', address = NULL ${expired("left_at IS NOT NULL")}`,
  ),
);
const deleteUnconfirmed = prepared((db) =>
  db.$client.query<void, [number, number]>(`DELETE FROM subscribers ${expired("left_at IS NULL")}`),
);
