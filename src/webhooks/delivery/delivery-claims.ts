import { eq, sql } from "drizzle-orm";
import { keepingDataVersion } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import { accounts, blogs, deliveries, events, webhooks } from "../../database/schema";
import { inUnsyncedTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { DAY } from "../../units";
import { LONGEST_BURST } from "../queueing";
import { secretsAt } from "../signing-secrets";

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

/** Claimed for one address, to be sent one after the other; never empty. */
type ClaimedTurn = [ClaimedDelivery, ...ClaimedDelivery[]];

export interface Claims {
  claimed: ClaimedTurn[];
  /** When the next one is due, in milliseconds since 1970; infinity where nothing else waits, busy webhooks left aside. */
  nextDue: number;
}

/**
 * Takes what is due out of the queue, for each address its first attempts in the events' order before its retries;
 * addresses that answer before those that are failing, and among equals whichever was served the longest ago.
 * @param busy webhooks whose turn it is
 * @param addresses for how many to claim, at most
 * @param together how many deliveries these may share: first attempts at addresses that answer and fold no bursts; else
 * it is one for each
 * @param lastServed when a webhook's turn came last; higher is later, 0 is never
 */
export function claimDue(
  platen: Platen,
  {
    busy,
    addresses,
    together,
    lastServed,
  }: {
    busy: { has(webhookId: number): boolean };
    addresses: number;
    together: number;
    lastServed: (webhookId: number) => number;
  },
): Claims {
  const at = platen.now().getTime();
  const furthest = furthestDue(platen);
  const waiting = waitingPerWebhook(platen)
    .all()
    .filter((row) => !busy.has(row.webhookId))
    .map((row) => soonEnough(row, at, furthest));
  const chosen = waiting
    .flatMap((row) => dueOf(row, at) ?? [])
    .sort((a, b) => a.isFailing - b.isFailing || lastServed(a.webhookId) - lastServed(b.webhookId))
    .slice(0, addresses);
  const isChosen = new Set(chosen.map(({ webhookId }) => webhookId));
  const nextDue = Math.min(...waiting.filter(({ webhookId }) => !isChosen.has(webhookId)).map(earliest));
  return { claimed: chosen.length > 0 ? claim(platen, chosen, together) : [], nextDue };
}

/**
 * One unit of work of the delivery loop: what it writes can be done again, and no page or answer shows it. Not to be called
 * inside another transaction.
 */
export function inOutboxTransaction(platen: Platen, work: () => void): void {
  keepingDataVersion(platen, () => inUnsyncedTransaction(platen, work));
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
  quietPeriod: number;
  firstId: number | null;
  firstDue: number | null;
  againId: number | null;
  againDue: number | null;
}

/** However long the queues are, this reads two rows of each. Exported for the test of its query plan, as SENDING is. */
export const WAITING = `
  SELECT webhooks.id AS webhookId, failing_since IS NOT NULL AS isFailing, quiet_period AS quietPeriod,
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

/** First attempts behind a first one, at an address that folds no bursts: all are due. */
export const FOLLOWING = `
  SELECT id FROM deliveries
  WHERE webhook_id = ? AND state = 'pending' AND attempts = 0 AND id > ? ORDER BY id LIMIT ?`;

/** How many wait for an attempt, those of addresses that are off or paused too. */
export function countWaiting({ db }: Platen): number {
  const counts = "SELECT count(*) FROM deliveries WHERE state = 'pending' AND attempts";
  return db.$client.query<{ n: number }, []>(`SELECT (${counts} = 0) + (${counts} > 0) AS n`).get()?.n ?? 0;
}

const waitingPerWebhook = prepared((db) => db.$client.query<Waiting, []>(WAITING));
const sending = prepared((db) => db.$client.query<{ id: number }, []>(SENDING));
const following = prepared((db) =>
  db.$client.query<{ id: number }, [webhookId: number, after: number, most: number]>(FOLLOWING),
);

interface Candidate {
  id: number;
  webhookId: number;
  isFailing: number;
  /** Whether those behind it may be sent at once after it. */
  mayBeFollowed: boolean;
}

/**
 * What would wait longer than it ever has to was written before the clock was set back, and is due: a first attempt,
 * behind which all later events of its address wait, is held back for bursts only.
 */
function soonEnough(waiting: Waiting, at: number, furthest: number): Waiting {
  const bounded = (due: number | null, longest: number) => (due !== null && due > longest ? at : due);
  return {
    ...waiting,
    firstDue: bounded(waiting.firstDue, at + LONGEST_BURST * waiting.quietPeriod),
    againDue: bounded(waiting.againDue, furthest),
  };
}

function dueOf({ webhookId, isFailing, quietPeriod, ...waiting }: Waiting, at: number): Candidate | null {
  const { firstId, firstDue, againId, againDue } = waiting;
  if (firstId !== null && (firstDue as number) <= at)
    return { id: firstId, webhookId, isFailing, mayBeFollowed: !isFailing && quietPeriod === 0 };
  if (againId !== null && (againDue as number) <= at)
    return { id: againId, webhookId, isFailing, mayBeFollowed: false };
  return null;
}

function earliest({ firstDue, againDue }: Waiting): number {
  return Math.min(firstDue ?? Number.POSITIVE_INFINITY, againDue ?? Number.POSITIVE_INFINITY);
}

function claim(platen: Platen, chosen: Candidate[], together: number): ClaimedTurn[] {
  const claimed: ClaimedTurn[] = [];
  const longest = Math.max(1, Math.floor(together / chosen.length));
  inOutboxTransaction(platen, () => {
    for (const { id, webhookId, mayBeFollowed } of chosen) {
      const behind = mayBeFollowed ? following(platen).all(webhookId, id, longest - 1) : [];
      const ids = [id, ...behind.map((row) => row.id)];
      const [first, ...others] = ids.flatMap((each) => claimOne(platen, each) ?? []);
      if (first) claimed.push([first, ...others]);
    }
  });
  return claimed;
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
    secrets: secretsAt(blog, platen.now()),
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
