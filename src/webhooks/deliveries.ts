import { and, eq, inArray } from "drizzle-orm";
import { prepared } from "../database/prepared";
import { blogs, deliveries, events, webhooks } from "../database/schema";
import { inUnsyncedTransaction } from "../database/transactions";
import type { Platen } from "../platen";

/** A delivery that has been taken out of the queue, with all that sending it needs. */
export interface Claimed {
  id: number;
  webhookId: number;
  url: string;
  event: string;
  /** What tells repeats: one for the event and the address, the same with every attempt. */
  messageId: string;
  /** The request's body. */
  payload: string;
  /** What it is signed with: the blog's secret, and for a day after a rotation the former one. */
  secrets: string[];
}

export interface Claims {
  claimed: Claimed[];
  /** When the next one is due, in milliseconds since 1970; infinity where nothing waits but for those busy now. */
  nextDue: number;
}

/**
 * Takes what is due out of the queue: one delivery for each address at most, its first attempts in the events' order
 * before its retries; addresses that hear well before those that fail, and of these whoever waited longest.
 * @param busy webhooks with a request open
 * @param most how many to take
 * @param turn when a webhook was last served; higher is later
 */
export function claimDue(
  platen: Platen,
  { busy, most, turn }: { busy: Set<number>; most: number; turn: (webhookId: number) => number },
): Claims {
  const at = platen.now().getTime();
  const waiting = waitingPerWebhook(platen)
    .all()
    .filter((row) => !busy.has(row.webhookId));
  const chosen = waiting
    .flatMap((row) => dueOf(row, at) ?? [])
    .sort((a, b) => a.isFailing - b.isFailing || turn(a.webhookId) - turn(b.webhookId))
    .slice(0, most);
  const isChosen = new Set(chosen.map(({ webhookId }) => webhookId));
  const nextDue = Math.min(...waiting.filter(({ webhookId }) => !isChosen.has(webhookId)).map(earliest));
  return { claimed: chosen.length > 0 ? take(platen, chosen) : [], nextDue };
}

/** What a process that died had taken is due again, under the same id (at least once). */
export function releaseClaims(platen: Platen): void {
  for (const { id } of sending(platen).all()) release(platen, id);
}

/** Back into the queue, as if it had not been tried. */
export function release(platen: Platen, id: number): void {
  platen.db
    .update(deliveries)
    .set({ state: "pending" })
    .where(and(eq(deliveries.id, id), eq(deliveries.state, "sending")))
    .run();
}

/** What a webhook has waiting: the first of what was never tried, and of what is to be tried again. */
interface Waiting {
  webhookId: number;
  isFailing: number;
  firstId: number | null;
  firstDue: number | null;
  againId: number | null;
  againDue: number | null;
}

/** However long the queues are, this reads two rows of each. */
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

function dueOf({ webhookId, isFailing, ...waiting }: Waiting, at: number): Candidate | null {
  const { firstId, firstDue, againId, againDue } = waiting;
  if (firstId !== null && (firstDue as number) <= at) return { id: firstId, webhookId, isFailing };
  if (againId !== null && (againDue as number) <= at) return { id: againId, webhookId, isFailing };
  return null;
}

function earliest({ firstDue, againDue }: Waiting): number {
  return Math.min(firstDue ?? Number.POSITIVE_INFINITY, againDue ?? Number.POSITIVE_INFINITY);
}

function take(platen: Platen, chosen: Candidate[]): Claimed[] {
  const ids = chosen.map(({ id }) => id);
  const rows = inUnsyncedTransaction(platen, () => {
    platen.db
      .update(deliveries)
      .set({ state: "sending" })
      .where(and(inArray(deliveries.id, ids), eq(deliveries.state, "pending")))
      .run();
    return platen.db
      .select({ delivery: deliveries, event: events, url: webhooks.url, blog: blogs })
      .from(deliveries)
      .innerJoin(events, eq(events.id, deliveries.eventId))
      .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
      .innerJoin(blogs, eq(blogs.id, webhooks.blogId))
      .where(and(inArray(deliveries.id, ids), eq(deliveries.state, "sending")))
      .all();
  });
  return rows.map(({ delivery, event, url, blog }) => ({
    id: delivery.id,
    webhookId: delivery.webhookId,
    url,
    event: event.name,
    messageId: messageIdOf(event, delivery.webhookId),
    payload: event.payload,
    secrets: secretsAt(blog, platen.now()),
  }));
}

/** The time tells this instance's ids from another's, at a receiver that hears both. */
function messageIdOf({ id, occurredAt }: typeof events.$inferSelect, webhookId: number): string {
  return `msg_${id}_${webhookId}_${occurredAt.getTime().toString(36)}`;
}

function secretsAt(blog: typeof blogs.$inferSelect, at: Date): string[] {
  const { webhookSecret, formerSecret, formerSecretUntil } = blog;
  const isFormerValid = formerSecret !== null && formerSecretUntil !== null && at < formerSecretUntil;
  return [webhookSecret as string, ...(isFormerValid ? [formerSecret] : [])];
}
