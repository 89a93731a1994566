import { prepareSql, updateRows } from "../database/rows";
import { events } from "../database/schema";
import type { Event } from "../deliveries/channel";
import { deliverTo, recordEvent } from "../deliveries/events-and-debouncing";
import { refreshNextDueOf } from "../deliveries/receivers";
import type { Platen } from "../platen";
import type { Json } from "./activity-streams";
import { type BlogActor, FEDIVERSE } from "./blog-actors";

/** Call this in a transaction. */
export function sendTo(platen: Platen, actor: BlogActor, inboxes: string[], activity: Json): void {
  const event = recordActivity(platen, actor, activity);
  for (const inbox of inboxes) deliverTo(platen, event, inbox);
}

/** Call this in a transaction. */
export function sendToFollowers(platen: Platen, actor: BlogActor, activity: Json): void {
  deliverToFollowers(platen, recordActivity(platen, actor, activity));
}

function recordActivity(platen: Platen, { blogId }: BlogActor, activity: Json): Event {
  const payload = JSON.stringify(activity);
  const name = String(activity.type);
  return recordEvent(platen, { channel: FEDIVERSE, blogId, name, payload, isQueued: true });
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
export function queueNews(platen: Platen, event: Event, news: News | null): void {
  if (!news) return;
  const { activity, inboxes } = news;
  const sent = { name: String(activity.type), payload: JSON.stringify(activity) };
  updateRows(platen, events, { id: event.id }, sent);
  for (const inbox of inboxes) deliverTo(platen, event, inbox);
  deliverToFollowers(platen, event);
}

function deliverToFollowers(platen: Platen, { id, blogId }: Event): void {
  addForFollowers(platen).run({ eventId: id, blogId, at: platen.now().getTime() });
  refreshNextDueOf(platen, id);
}

/** One statement, because a blog may have thousands of inboxes. */
const addForFollowers = prepareSql<void, [Record<string, number | null>]>(`
    INSERT INTO deliveries (event_id, receiver_id, target, due_at)
    SELECT $eventId, id, '', $at FROM receivers
    WHERE blog_id = $blogId AND channel = '${FEDIVERSE}' AND removed_at IS NULL AND disabled_at IS NULL
      AND url IN (SELECT inbox FROM followers WHERE blog_id = $blogId)
    ORDER BY id
    ON CONFLICT DO NOTHING`);
