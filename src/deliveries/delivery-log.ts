import { and, asc, eq, gt, inArray, isNull, lte, max, notExists, or, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { DAY } from "../config/units";
import { prepareSql } from "../database/prepared";
import { attempts, blogs, deliveries, events, receivers } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import type { Channel, Delivery, Event, Receiver } from "./channel";
import { hasUnqueuedEvents, queueEvents } from "./events";
import { IS_FAILED } from "./redeliver";

export type Attempt = typeof attempts.$inferSelect;

export interface BlogDelivery {
  delivery: Delivery;
  event: Event;
  receiver: Receiver;
  last: Attempt | undefined;
}

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
  const ids = receiversOf(platen, channel, blog)
    .filter(
      ({ id, removedAt }) => (receiverId === undefined || id === receiverId) && !(isFailed && removedAt),
    )
    .flatMap(({ id }) => list(platen).all(id, before, limit + 1))
    .map(({ id }) => id)
    .sort((one, other) => other - one);
  return { rows: rowsOf(platen, ids.slice(0, limit)), hasMore: ids.length > limit };
}

function queueNow(platen: Platen, channel: Channel): void {
  if (hasUnqueuedEvents(platen, channel)) inTransaction(platen, () => queueEvents(platen, channel));
}

function receiversOf({ db }: Platen, { name }: Channel, { id }: Pick<Blog, "id">): Receiver[] {
  const isWanted = and(eq(receivers.blogId, id), eq(receivers.channel, name));
  return db.select().from(receivers).where(isWanted).all();
}

type IdParameters = [receiverId: number, before: number, limit: number];

const allIds = prepareSql<{ id: number }, IdParameters>(
  "SELECT id FROM deliveries WHERE receiver_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
);
const failedIds = prepareSql<{ id: number }, IdParameters>(
  `SELECT id FROM deliveries WHERE receiver_id = ? AND ${IS_FAILED} AND id < ? ORDER BY id DESC LIMIT ?`,
);

function rowsOf(platen: Platen, ids: number[]): BlogDelivery[] {
  if (ids.length === 0) return [];
  const last = lastAttempts(platen, ids);
  return platen.db
    .select({ delivery: deliveries, event: events, receiver: receivers })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .innerJoin(receivers, eq(receivers.id, deliveries.receiverId))
    .where(inArray(deliveries.id, ids))
    .all()
    .sort((one, other) => other.delivery.id - one.delivery.id)
    .map((row) => ({ ...row, last: last.get(row.delivery.id) }));
}

const lastId = prepareSql<{ id: number | null }, [number]>(
  "SELECT max(id) AS id FROM attempts WHERE delivery_id = ?",
);

function lastAttempts(platen: Platen, deliveryIds: number[]): Map<number, Attempt> {
  const ids = deliveryIds.flatMap((deliveryId) => lastId(platen).get(deliveryId)?.id ?? []);
  if (ids.length === 0) return new Map();
  const rows = platen.db.select().from(attempts).where(inArray(attempts.id, ids)).all();
  return new Map(rows.map((row) => [row.deliveryId, row]));
}

export function blogDelivery(
  platen: Platen,
  blog: Pick<Blog, "id">,
  id: number,
): BlogDelivery & { attempts: Attempt[] } {
  const [found] = rowsOf(platen, [id]);
  if (found?.receiver.blogId !== blog.id) throw notFound("delivery");
  return { ...found, attempts: listAttempts(platen, id) };
}

/** Oldest first. */
export function listDeliveries(platen: Platen, channel: Channel) {
  const { db } = platen;
  queueNow(platen, channel);
  const last = db
    .select({ deliveryId: attempts.deliveryId, id: max(attempts.id).as("last_id") })
    .from(attempts)
    .groupBy(attempts.deliveryId)
    .as("last");
  return db
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
    .leftJoin(last, eq(last.deliveryId, deliveries.id))
    .leftJoin(attempts, eq(attempts.id, last.id))
    .where(eq(receivers.channel, channel.name))
    .orderBy(asc(deliveries.id))
    .all();
}

export function listAttempts(platen: Platen, deliveryId: number): Attempt[] {
  const known = platen.db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(eq(deliveries.id, deliveryId))
    .get();
  if (!known) throw notFound("delivery");
  return platen.db
    .select()
    .from(attempts)
    .where(eq(attempts.deliveryId, deliveryId))
    .orderBy(asc(attempts.id))
    .all();
}

const DELIVERY_RETENTION_MS = 30 * DAY;

const MAX_EVENTS_PER_BATCH = 100;

/** @returns true if more events may be left */
export function deleteOldDeliveries(platen: Platen): boolean {
  const oldest = new Date(platen.now().getTime() - DELIVERY_RETENTION_MS);
  const recentOrUnsettled = platen.db
    .select({ one: sql`1` })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.eventId, events.id),
        or(isNull(deliveries.settledAt), gt(deliveries.settledAt, oldest)),
      ),
    );
  const some = platen.db
    .select({ id: events.id })
    .from(events)
    .where(and(eq(events.isQueued, true), lte(events.occurredAt, oldest), notExists(recentOrUnsettled)))
    .orderBy(asc(events.occurredAt))
    .limit(MAX_EVENTS_PER_BATCH);
  const gone = platen.db.delete(events).where(inArray(events.id, some)).returning({ id: events.id }).all();
  return gone.length === MAX_EVENTS_PER_BATCH;
}
