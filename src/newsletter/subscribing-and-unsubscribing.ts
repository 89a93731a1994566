import { and, eq, isNotNull, lt } from "drizzle-orm";
import { type Blog, blogById, blogUrl } from "../blogs/blogs";
import { DAY } from "../config/units";
import { deleteRows, updateRows } from "../database/rows";
import { subscribers, subscriptionRequests } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { ClaimedDelivery } from "../deliveries/channel";
import { recordEvent } from "../deliveries/events-and-debouncing";
import { renderMail } from "../mail/mail-layout";
import type { MailReader } from "../mail/opt-in";
import { CONFIRM_WITHIN_MS, countMailRequest, mailToken, readerOfToken } from "../mail/opt-in";
import { readerMailChannel, sendMail } from "../mail/smtp";
import type { Platen } from "../platen";
import { word, wordLanguage } from "../text/words/words";
import { NEWSLETTER } from "./newsletter-settings";
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

const CONFIRMATION = "newsletter.confirmation";

/** Queues a confirmation mail. Returns nothing, so that no response reveals whether the address is known. */
export function askToSubscribe(platen: Platen, blog: Blog, typed: string): void {
  const address = requireMailAddress(typed);
  inTransaction(platen, () => {
    assertRoom(platen, blog);
    if (!countMailRequest(platen, address)) return;
    const known = subscriberWithAddress(platen, blog, address);
    if (known?.state === "confirmed") return;
    const at = platen.now();
    const fields = { state: "asked" as const, address, askedAt: at, language: blog.language };
    if (known) updateSubscriber(platen, known.id, fields);
    const { id } = known ?? insertSubscriber(platen, blog, address, fields);
    const event = { channel: CONFIRMATION, blogId: blog.id, name: "newsletter.asked", at };
    recordEvent(platen, { ...event, payload: String(id) });
  });
}

/** A channel of its own, so that confirmation mails overtake the mails of an issue. */
export const confirmationChannel = readerMailChannel(CONFIRMATION, sendConfirmation);

async function sendConfirmation(platen: Platen, { target, event: { blogId } }: ClaimedDelivery) {
  const blog = blogById(platen, blogId);
  const reader = blog && subscriberById(platen, blog, Number(target));
  if (!blog || reader?.state !== "asked" || !reader.address)
    return { failure: "they have already confirmed", end: "dropped" } as const;
  const { title } = blog;
  const token = mailToken(platen, "newsletter confirmations", reader, true);
  const mail = renderMail({
    language: wordLanguage(blog),
    subject: word(blog, "confirmSubscriptionTo", { title }),
    lines: [word(blog, "somebodySubscribed", { title })],
    button: { label: word(blog, "confirm"), url: `${blogUrl(platen, blog)}${NEWSLETTER}/confirm/${token}` },
    footer: word(blog, "confirmFooter"),
  });
  return await sendMail(platen, { to: reader.address, fromName: blog.title, ...mail });
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
