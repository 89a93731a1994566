import { and, desc, eq, gt, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import {
  countRows,
  deleteRows,
  findRowBy,
  findRows,
  findValues,
  hasValues,
  insertRow,
  updateRows,
} from "../database/rows";
import { subscribers } from "../database/schema";
import { conflict, invalid, requireFound } from "../errors";
import { parseMailAddress } from "../mail/mail-address";
import { hashAddress } from "../mail/opt-in";
import type { Platen } from "../platen";

export type Subscriber = typeof subscribers.$inferSelect;
export type SubscriberState = Subscriber["state"];
export const SUBSCRIBER_STATES = subscribers.state.enumValues;

type BlogId = Pick<Blog, "id">;

export const MAX_SUBSCRIBERS = 20_000;
const MAX_FAILURES = 3;

export function requireMailAddress(typed: string): string {
  const address = parseMailAddress(typed);
  if (address === null) throw invalid({ address: ["must be an e-mail address like you@example.com"] });
  return address;
}

const withId = findRowBy(subscribers, ["blogId", "id"]);
/** Also finds people who have unsubscribed. */
export const subscriberWithHash = findRowBy(subscribers, ["blogId", "addressHash"]);

/** @param address from `parseMailAddress` */
export function subscriberWithAddress(platen: Platen, { id }: BlogId, address: string) {
  return subscriberWithHash(platen, { blogId: id, addressHash: hashAddress(address) });
}

export function subscriberById(platen: Platen, blog: BlogId, id: number): Subscriber | undefined {
  return withId(platen, { blogId: blog.id, id });
}

export function requireSubscriber(platen: Platen, blog: BlogId, id: number): Subscriber {
  return requireFound(subscriberById(platen, blog, id), "subscriber");
}

export type AddOutcome = "added" | "present" | "left";

interface Consent {
  language?: string;
  confirmedAt?: Date;
}

/**
 * Sends no confirmation mail. Does not add people who have unsubscribed. Call this in a transaction.
 * @param address from `parseMailAddress`
 */
export function addSubscriber(
  platen: Platen,
  blog: Pick<Blog, "id" | "language">,
  address: string,
  consent: Consent = {},
): AddOutcome {
  assertRoom(platen, blog);
  return storeConsent(platen, blog, address, consent);
}

export function storeConsent(
  platen: Platen,
  blog: Pick<Blog, "id" | "language">,
  address: string,
  { language = blog.language, confirmedAt = platen.now() }: Consent,
): AddOutcome {
  const known = subscriberWithAddress(platen, blog, address);
  if (known?.leftAt) return "left";
  if (known?.state === "confirmed" || known?.state === "bounced") return "present";
  const fields = { state: "confirmed" as const, language, confirmedAt };
  if (known) updateSubscriber(platen, known.id, fields);
  else insertSubscriber(platen, blog, address, fields);
  return "added";
}

export function assertRoom(platen: Platen, blog: BlogId): void {
  if (countSubscribers(platen, blog, "confirmed") >= MAX_SUBSCRIBERS)
    throw conflict(`This newsletter has ${MAX_SUBSCRIBERS} subscribers, which is the maximum.`);
}

export function insertSubscriber(
  platen: Platen,
  { id: blogId }: BlogId,
  address: string,
  fields: Pick<Subscriber, "state" | "language"> & Partial<Subscriber>,
): Subscriber {
  const addressHash = hashAddress(address);
  return insertRow(platen, subscribers, { blogId, address, addressHash, createdAt: platen.now(), ...fields });
}

export function updateSubscriber(platen: Platen, id: number, fields: Partial<Subscriber>): void {
  updateRows(platen, subscribers, { id }, fields);
}

/** @param state `bounced` for a mail that came back, `confirmed` for a mailbox that works again */
export function setSubscriberState(
  platen: Platen,
  subscriber: Subscriber,
  state: "confirmed" | "bounced" | "left",
): void {
  if (state === "left") markLeft(platen, subscriber);
  else if (subscriber.state === "left")
    throw conflict("This reader has unsubscribed. Only the reader can subscribe again.");
  else if (subscriber.state === "asked")
    throw conflict("This person has not confirmed the subscription yet.");
  else updateSubscriber(platen, subscriber.id, { state, failures: 0 });
}

/** Keeps the hash of the address, so that no import adds the address again. */
export function markLeft(platen: Platen, { id }: Pick<Subscriber, "id">, issueId: number | null = null) {
  const fields = { state: "left" as const, address: null, leftAt: platen.now(), failures: 0 };
  updateSubscriber(platen, id, { ...fields, leftIssueId: issueId });
}

/** @returns true if this mail makes the subscriber count as bounced */
export function countMail(platen: Platen, { id, failures, state }: Subscriber, isRejected: boolean): boolean {
  if (!isRejected) {
    if (failures > 0) updateSubscriber(platen, id, { failures: 0 });
    return false;
  }
  const isBounced = state === "confirmed" && failures + 1 >= MAX_FAILURES;
  updateSubscriber(platen, id, { failures: failures + 1, ...(isBounced && { state: "bounced" }) });
  return isBounced;
}

/** Also deletes the record that the person unsubscribed. */
export function removeSubscriber(platen: Platen, { id }: Pick<Subscriber, "id">): void {
  deleteRows(platen, subscribers, { id });
}

export function countSubscribers(platen: Platen, { id }: BlogId, state: SubscriberState): number {
  return countRows(platen, subscribers, { blogId: id, state });
}

/** Newest first. */
export function listSubscribers(
  platen: Platen,
  blog: BlogId,
  { state, search, page, limit }: { state?: SubscriberState; search?: string; page: number; limit: number },
): { rows: Subscriber[]; total: number } {
  const pattern = search && `%${search.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  const isListed = and(
    eq(subscribers.blogId, blog.id),
    state && eq(subscribers.state, state),
    pattern ? sql`${subscribers.address} like ${pattern} escape '\\'` : undefined,
  );
  const rows = findRows(platen, subscribers, isListed, { orderBy: desc(subscribers.id), page, limit });
  return { rows, total: countRows(platen, subscribers, isListed) };
}

/** Oldest first. */
export function* eachSubscriber(platen: Platen, blog: BlogId): Generator<Subscriber> {
  for (let last = 0; ; ) {
    const isNext = and(eq(subscribers.blogId, blog.id), gt(subscribers.id, last));
    const batch = findRows(platen, subscribers, isNext, { orderBy: subscribers.id, limit: BATCH });
    yield* batch;
    if (batch.length === 0) return;
    last = batch.at(-1)?.id as number;
  }
}

const BATCH = 500;

export function confirmedAfter(platen: Platen, blogId: number, last: number, limit: number): number[] {
  const isNext = and(hasValues(subscribers, { blogId, state: "confirmed" }), gt(subscribers.id, last));
  return findValues(platen, subscribers, "id", isNext, { orderBy: subscribers.id, limit });
}
