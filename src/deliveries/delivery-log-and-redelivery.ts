import { asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { DAY } from "../config/units";
import { among, findRow, findRows, findValues, hasRow, prepareSql, updateRows } from "../database/rows";
import { attempts, blogs, deliveries, events, receivers } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict, notFound, requireFound } from "../errors";
import type { Platen } from "../platen";
import type { Channel, Delivery, Receiver } from "./channel";
import { findDelivery } from "./claims";
import { hasUnqueuedEvents, queueEvents } from "./events-and-debouncing";
import { listReceivers, refreshNextDue } from "./receivers";

export type Attempt = typeof attempts.$inferSelect;

/**
 * Must repeat the condition of the partial index `deliveries_failed`. Otherwise SQLite does not use the
 * index.
 */
const IS_FAILED = "(state in ('failed', 'dropped', 'unsure') or (state = 'pending' and failures > 0))";

export function hasFailed(delivery: Pick<Delivery, "state" | "failures">): boolean {
  return ["failed", "dropped", "unsure"].includes(delivery.state) || willRetry(delivery);
}

export function willRetry({ state, failures }: Pick<Delivery, "state" | "failures">): boolean {
  return state === "pending" && failures > 0;
}

/** `last` is the newest attempt. */
export type BlogDelivery = ReturnType<typeof rowsOf>[number];

interface DeliveryQuery {
  channel: Channel;
  receiverId?: number;
  /** Only deliveries with `hasFailed`, without those of removed receivers. */
  isFailed?: boolean;
  before?: number;
  limit: number;
}

/** Newest first. */
export function listBlogDeliveries(
  platen: Platen,
  blog: Pick<Blog, "id">,
  { channel, receiverId, isFailed = false, before = Number.MAX_SAFE_INTEGER, limit }: DeliveryQuery,
): { rows: BlogDelivery[]; hasMore: boolean } {
  queueNow(platen, channel);
  const list = isFailed ? failedIds : allIds;
  const receiver = {
    ...{ blogId: blog.id, channel: channel.name },
    ...(receiverId !== undefined && { id: receiverId }),
    ...(isFailed && { removedAt: null }),
  };
  const ids = findValues(platen, receivers, "id", receiver)
    .flatMap((id) => list(platen).all(id, before, limit + 1))
    .map(({ id }) => id)
    .sort((one, other) => other - one);
  return { rows: rowsOf(platen, ids.slice(0, limit)), hasMore: ids.length > limit };
}

function queueNow(platen: Platen, channel: Channel): void {
  if (hasUnqueuedEvents(platen, channel)) inTransaction(platen, () => queueEvents(platen, channel));
}

type IdParameters = [receiverId: number, before: number, limit: number];

const allIds = prepareSql<{ id: number }, IdParameters>(
  "SELECT id FROM deliveries WHERE receiver_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
);
const failedIds = prepareSql<{ id: number }, IdParameters>(
  `SELECT id FROM deliveries WHERE receiver_id = ? AND ${IS_FAILED} AND id < ? ORDER BY id DESC LIMIT ?`,
);

export const isLastAttempt = sql`attempts.id = (select max(id) from attempts where delivery_id = deliveries.id)`;

function rowsOf({ db }: Platen, ids: number[]) {
  return db
    .select({ delivery: deliveries, event: events, receiver: receivers, last: attempts })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .innerJoin(receivers, eq(receivers.id, deliveries.receiverId))
    .leftJoin(attempts, isLastAttempt)
    .where(inArray(deliveries.id, ids))
    .orderBy(desc(deliveries.id))
    .all();
}

export function blogDelivery(platen: Platen, blog: Pick<Blog, "id">, id: number) {
  const [found] = rowsOf(platen, [id]);
  if (found?.receiver.blogId !== blog.id) throw notFound("delivery");
  return { ...found, attempts: listAttempts(platen, id) };
}

/** Oldest first. */
export function listDeliveries(platen: Platen, channel: Channel) {
  queueNow(platen, channel);
  const { id, state, dueAt } = deliveries;
  const { status, failure, duration } = attempts;
  const { name: event, occurredAt } = events;
  const columns = { id, blog: blogs.slug, event, url: receivers.url, state, attempts: deliveries.attempts };
  return platen.db
    .select({ ...columns, status, failure, duration, occurredAt, dueAt })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .innerJoin(receivers, eq(receivers.id, deliveries.receiverId))
    .innerJoin(blogs, eq(blogs.id, receivers.blogId))
    .leftJoin(attempts, isLastAttempt)
    .where(eq(receivers.channel, channel.name))
    .orderBy(asc(deliveries.id))
    .all();
}

export function listAttempts(platen: Platen, deliveryId: number): Attempt[] {
  if (!hasRow(platen, deliveries, { id: deliveryId })) throw notFound("delivery");
  return findRows(platen, attempts, { deliveryId }, { orderBy: attempts.id });
}

/** Both counts stop here. */
export const MAX_COUNTED = 1000;

/** `last` is undefined if there was no attempt, or if it was deleted. */
export function receiverHealth(platen: Platen, { id, lastAttemptId }: Receiver) {
  const attempt = findRow(platen, attempts, { id: lastAttemptId ?? 0 });
  const isOwn = attempt && hasRow(platen, deliveries, { id: attempt.deliveryId, receiverId: id });
  const counted = (list: typeof waiting) => list(platen).get(id, MAX_COUNTED)?.number ?? 0;
  return { last: isOwn ? attempt : undefined, waiting: counted(waiting), failed: counted(failed) };
}

const countOf = (condition: string) =>
  prepareSql<{ number: number }, [receiverId: number, most: number]>(
    `SELECT count(*) AS number FROM (SELECT 1 FROM deliveries WHERE receiver_id = ? AND ${condition} LIMIT ?)`,
  );
const waiting = countOf("state = 'pending' AND attempts = 0");
const failed = countOf(IS_FAILED);

/** The delivery keeps its id. Its retry schedule starts again. */
export function redeliver(platen: Platen, id: number): void {
  inTransaction(platen, () => {
    const found = requireFound(findDelivery(platen, id), "delivery");
    const { url, removedAt, disabledAt } = found.receiver;
    if (removedAt) throw conflict(`${url} has been removed; add it again first.`);
    if (disabledAt) throw conflict(`${url} is disabled; enable it first.`);
    if (found.state === "sending") throw conflict(`Delivery ${id} is being sent right now.`);
    queueAgain(platen, found.receiverId, [id]);
  });
}

/**
 * Includes deliveries that wait for a retry, whatever `since` is. Skips disabled and removed receivers.
 * @returns number of deliveries
 */
export function redeliverFailed(platen: Platen, { name }: Channel, since: Date, blog?: Blog): number {
  return inTransaction(platen, () => {
    let count = 0;
    for (const { id: receiverId, disabledAt } of listReceivers(platen, name, blog?.id)) {
      const rows = disabledAt ? [] : failedSince(platen).all(receiverId, since.getTime());
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) queueAgain(platen, receiverId, ids);
      count += ids.length;
    }
    return count;
  });
}

const failedSince = prepareSql<{ id: number }, [receiverId: number, since: number]>(
  `SELECT id FROM deliveries WHERE receiver_id = ? AND ${IS_FAILED} AND (state = 'pending' OR settled_at >= ?)`,
);

function queueAgain(platen: Platen, receiverId: number, ids: number[]): void {
  const pending = { state: "pending" as const, failures: 0, dueAt: platen.now() };
  updateRows(platen, deliveries, among(deliveries.id, ids), { ...pending, heldSince: null, settledAt: null });
  refreshNextDue(platen, receiverId);
}

const DELIVERY_RETENTION_MS = 30 * DAY;

const MAX_EVENTS_PER_BATCH = 100;

const deleteOldEvents = prepareSql<{ id: number }, [{ oldest: number }]>(`
  DELETE FROM events WHERE id IN (
    SELECT id FROM events WHERE is_queued AND occurred_at <= $oldest AND NOT EXISTS (
      SELECT 1 FROM deliveries WHERE event_id = events.id AND (settled_at IS NULL OR settled_at > $oldest))
    ORDER BY occurred_at LIMIT ${MAX_EVENTS_PER_BATCH})
  RETURNING id`);

/** @returns true if more events may be left */
export function deleteOldDeliveries(platen: Platen): boolean {
  const oldest = platen.now().getTime() - DELIVERY_RETENTION_MS;
  return deleteOldEvents(platen).all({ oldest }).length === MAX_EVENTS_PER_BATCH;
}
