import { and, eq, isNotNull, lt } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { DAY } from "../config/units";
import { deleteRows, updateRows } from "../database/rows";
import { subscribers, subscriptionRequests } from "../database/schema";
import { inTransaction } from "../database/transactions";
import {
  CONFIRM_WITHIN_MS,
  countMailRequest,
  type MailReader,
  mailToken,
  readerOfToken,
} from "../mail/opt-in";
import type { Platen } from "../platen";
import {
  assertRoom,
  insertSubscriber,
  markLeft,
  requireMailAddress,
  type Subscriber,
  subscriberById,
  subscriberWithAddress,
  updateSubscriber,
} from "./subscribers";

/**
 * Returns nothing, so that no response can reveal whether the address is known.
 * @param sendConfirmation queues the mail with the link; called in the transaction
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
    if (!countMailRequest(platen, address)) return;
    const known = subscriberWithAddress(platen, blog, address);
    if (known?.state === "confirmed") return;
    const fields = { state: "asked" as const, address, askedAt: platen.now(), language: blog.language };
    if (known) updateSubscriber(platen, known.id, fields);
    const row = known ? { ...known, ...fields } : insertSubscriber(platen, blog, address, fields);
    sendConfirmation(row);
  });
}

const findIn = (platen: Platen, blog: Blog) => (id: number) => subscriberById(platen, blog, id);

/** @returns null if the link is forged or expired, or the reader has left or was removed */
export function readerToConfirm(platen: Platen, blog: Blog, token: string): Subscriber | null {
  const reader = readerOfToken(platen, "newsletter confirmations", token, findIn(platen, blog));
  return reader?.state === "left" ? null : reader;
}

export function confirmSubscription(platen: Platen, blog: Blog, token: string): Subscriber | null {
  return inTransaction(platen, () => {
    const reader = readerToConfirm(platen, blog, token);
    if (!reader || reader.state === "confirmed") return reader;
    const fields = { state: "confirmed" as const, confirmedAt: platen.now(), failures: 0 };
    updateSubscriber(platen, reader.id, { ...fields, leftAt: null, leftIssueId: null });
    return { ...reader, ...fields };
  });
}

export function leaveNewsletter(platen: Platen, blog: Blog, token: string, issueId: number | null): void {
  inTransaction(platen, () => {
    const reader = readerOfToken(platen, "newsletter departures", token, findIn(platen, blog));
    if (reader && reader.state !== "left") markLeft(platen, reader, issueId);
  });
}

export function confirmToken(platen: Platen, reader: MailReader): string {
  return mailToken(platen, "newsletter confirmations", reader, true);
}

export function leaveToken(platen: Platen, reader: MailReader): string {
  return mailToken(platen, "newsletter departures", reader);
}

/** Deletes unconfirmed requests. If the person had unsubscribed before, the row becomes `left` again. */
export function deleteExpiredRequests(platen: Platen): void {
  const before = (age: number) => new Date(platen.now().getTime() - age);
  const isExpired = and(eq(subscribers.state, "asked"), lt(subscribers.askedAt, before(CONFIRM_WITHIN_MS)));
  inTransaction(platen, () => {
    deleteRows(platen, subscriptionRequests, lt(subscriptionRequests.at, before(DAY)));
    const hadLeft = and(isExpired, isNotNull(subscribers.leftAt));
    updateRows(platen, subscribers, hadLeft, { state: "left", address: null });
    deleteRows(platen, subscribers, isExpired);
  });
}
