import { eq, sql } from "drizzle-orm";
import { DAY } from "../../config/units";
import { keepDataVersion } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import { accounts, blogs, deliveries, events, webhooks } from "../../database/schema";
import { inUnsyncedTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { MAX_QUIET_PERIODS } from "../event-queue";
import { validSecrets } from "../signing-secrets";

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

/** A delivery that is due. */
interface Due {
  id: number;
  webhookId: number;
}

/**
 * Finds what is due, one delivery for each webhook: its first attempts in the events' order before its retries. Webhooks
 * that answer come before those that are failing, and among equals the one that was sent to longest ago.
 * @param busy webhooks to leave out
 * @returns what is due, and when the first of the others is, in milliseconds since 1970; infinity if nothing else waits
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

/** Takes these out of the queue. To be called inside a transaction. */
export function claim(platen: Platen, due: Due[]): ClaimedDelivery[] {
  return due.flatMap(({ id }) => claimOne(platen, id) ?? []);
}

/**
 * One unit of work of the delivery loop: what it writes can be done again, and no page or answer shows it. Not to be called
 * inside another transaction.
 */
export function inOutboxTransaction(platen: Platen, work: () => void): void {
  keepDataVersion(platen, () => inUnsyncedTransaction(platen, work));
}

/** No retry has to wait for longer than until then, in milliseconds since 1970. */
function furthestDue({ now, config }: Platen): number {
  return now().getTime() + 2 * Math.max(DAY, ...config.webhookRetry);
}

/** What a process that died had claimed is due again, with the same `webhook-id` (delivery is at least once). */
export function releaseAbandonedClaims(platen: Platen): void {
  for (const { id } of sending(platen).all()) releaseClaim(platen, id);
}

/** Back into the queue, as if it had not been tried. */
export function releaseClaim(platen: Platen, id: number): void {
  release(platen).run(id);
}

const release = prepared((db) =>
  db.$client.query<void, [number]>(
    "UPDATE deliveries SET state = 'pending' WHERE id = ? AND state = 'sending'",
  ),
);

/** The two deliveries of a webhook that may be next: the first that was never tried, and the first due for a retry. Times are milliseconds since 1970. */
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

/** However long the queues are, this reads two rows of each. Exported for the test of its query plan, as SENDING is. */
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

/** How many wait for an attempt, those of addresses that are off or paused too. */
export function countWaiting({ db }: Platen): number {
  const counts = "SELECT count(*) FROM deliveries WHERE state = 'pending' AND attempts";
  return db.$client.query<{ n: number }, []>(`SELECT (${counts} = 0) + (${counts} > 0) AS n`).get()?.n ?? 0;
}

const waitingPerWebhook = prepared((db) => db.$client.query<Waiting, []>(WAITING));
const sending = prepared((db) => db.$client.query<{ id: number }, []>(SENDING));

/**
 * What would wait longer than it ever has to was written before the clock was set back, and is due: a first attempt,
 * behind which all later events of its address wait, is held back for bursts only.
 */
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

/** Ids of rows are the same in every instance; with the time, a receiver of two instances does not mistake them. */
export function messageIdOf({ id, occurredAt }: { id: number; occurredAt: Date }, webhookId: number): string {
  return `msg_${id}_${webhookId}_${occurredAt.getTime().toString(36)}`;
}
