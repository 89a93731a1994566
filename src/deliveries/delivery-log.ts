import { and, asc, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { DAY } from "../config/units";
import { prepareSql } from "../database/prepared";
import { hasRow, hasValues } from "../database/rows";
import { attempts, blogs, deliveries, events, receivers } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import type { Channel } from "./channel";
import { hasUnqueuedEvents, queueEvents } from "./events";
import { IS_FAILED } from "./redeliver";

export type Attempt = typeof attempts.$inferSelect;

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
  const values = {
    blogId: blog.id,
    channel: channel.name,
    ...(receiverId !== undefined && { id: receiverId }),
  };
  const isWanted = and(hasValues(receivers, values), isFailed ? isNull(receivers.removedAt) : undefined);
  const ids = platen.db
    .select()
    .from(receivers)
    .where(isWanted)
    .all()
    .flatMap(({ id }) => list(platen).all(id, before, limit + 1))
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
  return platen.db
    .select({
      id: deliveries.id,
      blog: blogs.slug,
      event: events.name,
      url: receivers.url,
      state: deliveries.state,
      attempts: deliveries.attempts,
      status: attempts.status,
      failure: attempts.failure,
      duration: attempts.duration,
      occurredAt: events.occurredAt,
      dueAt: deliveries.dueAt,
    })
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
  const isOfDelivery = eq(attempts.deliveryId, deliveryId);
  return platen.db.select().from(attempts).where(isOfDelivery).orderBy(asc(attempts.id)).all();
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
