import { eq, sql } from "drizzle-orm";
import { DAY } from "../../config/units";
import { keepDataVersion } from "../../database/change-counter";
import { prepared } from "../../database/prepared";
import { accounts, blogs, deliveries, events, webhooks } from "../../database/schema";
import { inUnsyncedTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { MAX_QUIET_PERIODS } from "../event-queue";
import { validSecrets } from "../signing-secrets";

/** A delivery from the queue, with everything needed to send it. */
export interface ClaimedDelivery {
  id: number;
  webhookId: number;
  url: string;
  event: string;
  /** Value of `webhook-id`. It is the same for every attempt, so that receivers recognize repeats. */
  messageId: string;
  payload: string;
  secrets: string[];
  isForAdmin: boolean;
}

interface Due {
  id: number;
  webhookId: number;
}

/**
 * Finds one due delivery per webhook. First attempts in event order come before retries. Healthy webhooks come before
 * failing ones, and longest unused ones first.
 * @param busy webhooks to leave out
 * @returns due deliveries; `nextDue` is the next due time in milliseconds since 1970, or infinity
 */
export function findDue(platen: Platen, busy: ReadonlySet<number>): { due: Due[]; nextDue: number } {
  const at = platen.now().getTime();
  const furthest = furthestDue(platen);
  const waiting = waitingPerWebhook(platen)
    .all()
    .filter((row) => !busy.has(row.webhookId))
    .map((row) => soonEnough(row, at, furthest));
  const due = waiting
    .filter((row) => earliest(row) <= at)
    .sort((a, b) => a.isFailing - b.isFailing || (a.lastAttemptId ?? 0) - (b.lastAttemptId ?? 0))
    .map(({ webhookId, firstId, firstDue, againId }) => ({
      id: (firstDue !== null && firstDue <= at ? firstId : againId) as number,
      webhookId,
    }));
  return { due, nextDue: Math.min(...waiting.map(earliest).filter((time) => time > at)) };
}

/** Marks deliveries as being sent. Call it inside a transaction. */
export function claim(platen: Platen, due: Due[]): ClaimedDelivery[] {
  return due.flatMap(({ id }) => claimOne(platen, id) ?? []);
}

/**
 * Runs a step of the delivery loop without fsync, because the step is repeated after a crash. The response cache
 * stays valid. Do not call it in another transaction.
 */
export function inOutboxTransaction(platen: Platen, work: () => void): void {
  keepDataVersion(platen, () => inUnsyncedTransaction(platen, work));
}

/** Returns the latest time for a retry, in milliseconds since 1970. */
function furthestDue({ now, config }: Platen): number {
  return now().getTime() + 2 * Math.max(DAY, ...config.webhookRetry);
}

/** Puts deliveries that a dead process has claimed back into the queue (at-least-once delivery). */
export function releaseAbandonedClaims(platen: Platen): void {
  for (const { id } of sending(platen).all()) releaseClaim(platen, id);
}

/** Puts a delivery back into the queue without counting an attempt. */
export function releaseClaim(platen: Platen, id: number): void {
  release(platen).run(id);
}

const release = prepared((db) =>
  db.$client.query<void, [number]>(
    "UPDATE deliveries SET state = 'pending' WHERE id = ? AND state = 'sending'",
  ),
);

/** Next first attempt and next retry of a webhook. Times are in milliseconds since 1970. */
interface Waiting {
  webhookId: number;
  isFailing: number;
  lastAttemptId: number | null;
  quietPeriod: number;
  firstId: number | null;
  firstDue: number | null;
  againId: number | null;
  againDue: number | null;
}

/** Reads two rows per webhook. Exported for a test of the query plan, like SENDING. */
export const WAITING = `
  SELECT webhooks.id AS webhookId, failing_since IS NOT NULL AS isFailing, quiet_period AS quietPeriod,
    last_attempt_id AS lastAttemptId,
    first.id AS firstId, first.due_at AS firstDue, again.id AS againId, again.due_at AS againDue
  FROM webhooks
  LEFT JOIN deliveries first ON first.id = (
    SELECT id FROM deliveries WHERE webhook_id = webhooks.id AND state = 'pending' AND attempts = 0
    ORDER BY id LIMIT 1)
  LEFT JOIN deliveries again ON again.id = (
    SELECT id FROM deliveries WHERE webhook_id = webhooks.id AND state = 'pending' AND attempts > 0
    ORDER BY due_at, id LIMIT 1)
  WHERE disabled_at IS NULL AND paused_at IS NULL AND removed_at IS NULL AND (first.id IS NOT NULL OR again.id IS NOT NULL)`;

export const SENDING = "SELECT id FROM deliveries WHERE state = 'sending'";

/** Counts pending deliveries, including those of paused URLs. */
export function countWaiting({ db }: Platen): number {
  const counts = "SELECT count(*) FROM deliveries WHERE state = 'pending' AND attempts";
  return db.$client.query<{ n: number }, []>(`SELECT (${counts} = 0) + (${counts} > 0) AS n`).get()?.n ?? 0;
}

const waitingPerWebhook = prepared((db) => db.$client.query<Waiting, []>(WAITING));
const sending = prepared((db) => db.$client.query<{ id: number }, []>(SENDING));

/** Makes deliveries due now if their time is impossibly late: the clock was set back after they were stored. */
function soonEnough(waiting: Waiting, at: number, furthest: number): Waiting {
  const bounded = (due: number | null, longest: number) => (due !== null && due > longest ? at : due);
  return {
    ...waiting,
    firstDue: bounded(waiting.firstDue, at + MAX_QUIET_PERIODS * waiting.quietPeriod),
    againDue: bounded(waiting.againDue, furthest),
  };
}

function earliest({ firstDue, againDue }: Waiting): number {
  return Math.min(firstDue ?? Number.POSITIVE_INFINITY, againDue ?? Number.POSITIVE_INFINITY);
}

function claimOne(platen: Platen, id: number): ClaimedDelivery | null {
  if (markSending(platen).run(id).changes === 0) return null;
  const row = toBeSent(platen).get({ id });
  if (!row) return null;
  const { webhookId, event, url, blog, isForAdmin } = row;
  return {
    id,
    webhookId,
    url,
    event: event.name,
    messageId: messageIdOf(event, webhookId),
    payload: event.payload,
    secrets: validSecrets(blog, platen.now()),
    isForAdmin,
  };
}

const markSending = prepared((db) =>
  db.$client.query<void, [number]>(
    "UPDATE deliveries SET state = 'sending' WHERE id = ? AND state = 'pending'",
  ),
);

const toBeSent = prepared((db) =>
  db
    .select({
      webhookId: deliveries.webhookId,
      event: { id: events.id, name: events.name, occurredAt: events.occurredAt, payload: events.payload },
      url: webhooks.url,
      blog: {
        webhookSecret: blogs.webhookSecret,
        formerSecret: blogs.formerSecret,
        formerSecretUntil: blogs.formerSecretUntil,
      },
      isForAdmin: accounts.isAdmin,
    })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .innerJoin(blogs, eq(blogs.id, webhooks.blogId))
    .innerJoin(accounts, eq(accounts.id, blogs.accountId))
    .where(eq(deliveries.id, sql.placeholder("id")))
    .prepare(),
);

/** Returns the message id. It contains the time, so that ids of two instances differ. */
export function messageIdOf({ id, occurredAt }: { id: number; occurredAt: Date }, webhookId: number): string {
  return `msg_${id}_${webhookId}_${occurredAt.getTime().toString(36)}`;
}
