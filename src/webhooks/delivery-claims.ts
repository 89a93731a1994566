import { and, eq, inArray } from "drizzle-orm";
import { prepared } from "../database/prepared";
import { accounts, blogs, deliveries, events, webhooks } from "../database/schema";
import { inUnsyncedTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { secretsAt } from "./signing-secrets";

const DAY = 24 * 60 * 60 * 1000;

/** A delivery that has been taken out of the queue, with all that sending it needs. */
export interface ClaimedDelivery {
  id: number;
  webhookId: number;
  url: string;
  event: string;
  /** `webhook-id`: one for the event and the address, the same with every attempt, so that receivers know repeats. */
  messageId: string;
  /** The request's body. */
  payload: string;
  /** What it is signed with: see signing-secrets. */
  secrets: string[];
  /** Whether the blog is an admin's. */
  isForAdmin: boolean;
}

export interface Claims {
  claimed: ClaimedDelivery[];
  /** When the next one is due, in milliseconds since 1970; infinity where nothing else waits, busy webhooks left aside. */
  nextDue: number;
}

/**
 * Takes what is due out of the queue: one delivery for each address at most, its first attempts in the events' order
 * before its retries; addresses that answer before those that are failing, and among equals whichever was served the longest ago.
 * @param busy webhooks with a request open
 * @param most how many to claim
 * @param lastServed when a webhook's turn came last; higher is later, 0 is never
 */
export function claimDue(
  platen: Platen,
  { busy, most, lastServed }: { busy: Set<number>; most: number; lastServed: (webhookId: number) => number },
): Claims {
  const at = platen.now().getTime();
  const furthest = furthestDue(platen);
  const waiting = waitingPerWebhook(platen)
    .all()
    .filter((row) => !busy.has(row.webhookId));
  const chosen = waiting
    .flatMap((row) => dueOf(row, (due) => due <= at || due > furthest) ?? [])
    .sort((a, b) => a.isFailing - b.isFailing || lastServed(a.webhookId) - lastServed(b.webhookId))
    .slice(0, most);
  const isChosen = new Set(chosen.map(({ webhookId }) => webhookId));
  const nextDue = Math.min(...waiting.filter(({ webhookId }) => !isChosen.has(webhookId)).map(earliest));
  return { claimed: chosen.length > 0 ? claim(platen, chosen) : [], nextDue };
}

/** No delivery has to wait for longer than until then, in milliseconds since 1970; one that would, was put off before the clock was set back. */
export function furthestDue({ now, config }: Platen): number {
  return now().getTime() + 2 * Math.max(DAY, ...config.webhookRetry);
}

/** What a process that died had claimed is due again, with the same `webhook-id` (delivery is at least once). */
export function releaseAbandonedClaims(platen: Platen): void {
  for (const { id } of sending(platen).all()) releaseClaim(platen, id);
}

/** Back into the queue, as if it had not been tried. */
export function releaseClaim(platen: Platen, id: number): void {
  platen.db
    .update(deliveries)
    .set({ state: "pending" })
    .where(and(eq(deliveries.id, id), eq(deliveries.state, "sending")))
    .run();
}

/** The two deliveries of a webhook that may be next: the first that was never tried, and the first due for a retry. Times are milliseconds since 1970. */
interface Waiting {
  webhookId: number;
  isFailing: number;
  firstId: number | null;
  firstDue: number | null;
  againId: number | null;
  againDue: number | null;
}

/** However long the queues are, this reads two rows of each. Exported for the test of its query plan, as SENDING is. */
export const WAITING = `
  SELECT webhooks.id AS webhookId, failing_since IS NOT NULL AS isFailing,
    first.id AS firstId, first.due_at AS firstDue, again.id AS againId, again.due_at AS againDue
  FROM webhooks
  LEFT JOIN deliveries first ON first.id = (
    SELECT id FROM deliveries WHERE webhook_id = webhooks.id AND state = 'pending' AND attempts = 0
    ORDER BY id LIMIT 1)
  LEFT JOIN deliveries again ON again.id = (
    SELECT id FROM deliveries WHERE webhook_id = webhooks.id AND state = 'pending' AND attempts > 0
    ORDER BY due_at, id LIMIT 1)
  WHERE disabled_at IS NULL AND removed_at IS NULL AND (first.id IS NOT NULL OR again.id IS NOT NULL)`;

export const SENDING = "SELECT id FROM deliveries WHERE state = 'sending'";

const waitingPerWebhook = prepared((db) => db.$client.query<Waiting, []>(WAITING));
const sending = prepared((db) => db.$client.query<{ id: number }, []>(SENDING));

interface Candidate {
  id: number;
  webhookId: number;
  isFailing: number;
}

function dueOf(
  { webhookId, isFailing, ...waiting }: Waiting,
  isDue: (due: number) => boolean,
): Candidate | null {
  const { firstId, firstDue, againId, againDue } = waiting;
  if (firstId !== null && isDue(firstDue as number)) return { id: firstId, webhookId, isFailing };
  if (againId !== null && isDue(againDue as number)) return { id: againId, webhookId, isFailing };
  return null;
}

function earliest({ firstDue, againDue }: Waiting): number {
  return Math.min(firstDue ?? Number.POSITIVE_INFINITY, againDue ?? Number.POSITIVE_INFINITY);
}

function claim(platen: Platen, chosen: Candidate[]): ClaimedDelivery[] {
  const ids = chosen.map(({ id }) => id);
  const rows = inUnsyncedTransaction(platen, () => {
    platen.db
      .update(deliveries)
      .set({ state: "sending" })
      .where(and(inArray(deliveries.id, ids), eq(deliveries.state, "pending")))
      .run();
    return platen.db
      .select({
        delivery: deliveries,
        event: events,
        url: webhooks.url,
        blog: blogs,
        isForAdmin: accounts.isAdmin,
      })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.eventId))
      .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
      .innerJoin(blogs, eq(blogs.id, webhooks.blogId))
      .innerJoin(accounts, eq(accounts.id, blogs.accountId))
      .where(and(inArray(deliveries.id, ids), eq(deliveries.state, "sending")))
      .all();
  });
  return rows.map(({ delivery, event, url, blog, isForAdmin }) => ({
    id: delivery.id,
    webhookId: delivery.webhookId,
    url,
    event: event.name,
    messageId: messageIdOf(event, delivery.webhookId),
    payload: event.payload,
    secrets: secretsAt(blog, platen.now()),
    isForAdmin,
  }));
}

/** Ids of rows are the same in every instance; with the time, a receiver of two instances does not mistake them. */
function messageIdOf({ id, occurredAt }: typeof events.$inferSelect, webhookId: number): string {
  return `msg_${id}_${webhookId}_${occurredAt.getTime().toString(36)}`;
}
