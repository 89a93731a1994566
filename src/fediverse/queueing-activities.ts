import { eq } from "drizzle-orm";
import { prepareSql } from "../database/prepared";
import { events } from "../database/schema";
import { addDeliveries, recordEvent } from "../deliveries/events";
import { ensureReceiver, refreshNextDueOf } from "../deliveries/receivers";
import type { Platen } from "../platen";
import { type BlogActor, FEDIVERSE } from "./blog-actors";
import type { Json } from "./json-values";

/** Call this in a transaction. */
export function sendTo(platen: Platen, actor: BlogActor, inboxes: string[], activity: Json): void {
  const eventId = recordActivity(platen, actor, activity);
  for (const inbox of inboxes) queueFor(platen, eventId, actor, inbox);
}

/** Call this in a transaction. */
export function sendToFollowers(platen: Platen, actor: BlogActor, activity: Json): void {
  queueForFollowers(platen, recordActivity(platen, actor, activity), actor);
}

function recordActivity(platen: Platen, { blogId }: BlogActor, activity: Json): number {
  const payload = JSON.stringify(activity);
  const name = String(activity.type);
  return recordEvent(platen, { channel: FEDIVERSE, blogId, name, at: platen.now(), payload, isQueued: true });
}

function queueFor(platen: Platen, eventId: number, { blogId }: BlogActor, inbox: string): void {
  addDeliveries(platen, eventId, ensureReceiver(platen, { channel: FEDIVERSE, blogId, url: inbox }).id);
}

export interface News {
  activity: Json;
  /** Inboxes that get the activity in addition to the inboxes of followers. */
  inboxes: string[];
}

/**
 * The event stores the activity, so that every inbox gets the same activity with the same id. Call this in a
 * transaction.
 */
export function queueNews(platen: Platen, actor: BlogActor, eventId: number, news: News | null): void {
  if (!news) return;
  const { activity, inboxes } = news;
  platen.db
    .update(events)
    .set({ name: String(activity.type), payload: JSON.stringify(activity) })
    .where(eq(events.id, eventId))
    .run();
  for (const inbox of inboxes) queueFor(platen, eventId, actor, inbox);
  queueForFollowers(platen, eventId, actor);
}

function queueForFollowers(platen: Platen, eventId: number, { blogId }: BlogActor): void {
  addForFollowers(platen).run({ eventId, blogId, at: platen.now().getTime() });
  refreshNextDueOf(platen, eventId);
}

/** One statement, because a blog may have thousands of inboxes. */
const addForFollowers = prepareSql<void, [Record<string, number>]>(`
    INSERT INTO deliveries (event_id, receiver_id, target, due_at)
    SELECT $eventId, id, '', $at FROM receivers
    WHERE blog_id = $blogId AND channel = '${FEDIVERSE}' AND removed_at IS NULL AND disabled_at IS NULL
      AND url IN (SELECT inbox FROM followers WHERE blog_id = $blogId)
    ORDER BY id
    ON CONFLICT DO NOTHING`);
