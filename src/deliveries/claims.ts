import { eq, sql } from "drizzle-orm";
import { keepDataVersion } from "../database/change-counter";
import { prepared, prepareSql, updateRows } from "../database/rows";
import { deliveries, events, receivers } from "../database/schema";
import { inTransaction, inUnsyncedTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import type { Channel, ClaimedDelivery } from "./channel";
import { AGAIN, FIRST, FIRST_DUE, refreshNextDue, times } from "./receivers";

/**
 * Healthy receivers come before failing ones; in each group, the longest unused come first.
 * @param busy ids of receivers to leave out
 * @returns receiver ids; `nextDue` is the next later due time in milliseconds since 1970, or infinity
 */
export function findDue(platen: Platen, channel: Channel, busy: ReadonlySet<number>) {
  const at = platen.now().getTime();
  const due = dueReceivers(platen)
    .all(channel.name, at)
    .filter(({ id }) => !busy.has(id))
    .sort((a, b) => a.isFailing - b.isFailing || (a.lastAttemptId ?? 0) - (b.lastAttemptId ?? 0))
    .map(({ id }) => id);
  return { due, nextDue: nextDue(platen).get(channel.name, at)?.at ?? Number.POSITIVE_INFINITY };
}

interface Due {
  id: number;
  isFailing: number;
  lastAttemptId: number | null;
}

/** Exported for a test of the query plan, like WAITING, SENDING and UNQUEUED. */
export const DUE = `
  SELECT id, failing_since IS NOT NULL AS isFailing, last_attempt_id AS lastAttemptId
  FROM receivers WHERE channel = ? AND next_due <= ?`;

const dueReceivers = prepareSql<Due, [string, number]>(DUE);
const nextDue = prepareSql<{ at: number | null }, [string, number]>(
  "SELECT min(next_due) AS at FROM receivers WHERE channel = ? AND next_due > ?",
);

export function findWaitingChannels(platen: Platen, channels: readonly Channel[]): Channel[] {
  const waiting = waitingNames(platen).all(JSON.stringify(channels.map(({ name }) => name)));
  return channels.filter((channel) => waiting.some(({ name }) => name === channel.name));
}

export const WAITING = `
  SELECT value AS name FROM json_each(?) AS names
  WHERE EXISTS (SELECT 1 FROM receivers WHERE channel = value AND next_due IS NOT NULL)
    OR EXISTS (SELECT 1 FROM events WHERE channel = value AND NOT is_queued)`;

const waitingNames = prepareSql<{ name: string }, [string]>(WAITING);

/** Call this inside a transaction. */
export function claim(platen: Platen, receiverId: number): ClaimedDelivery | null {
  const next = nextDelivery(platen).get({ at: times(platen).at, id: receiverId });
  if (next?.id) markSending(platen).run(next.id);
  refreshNextDue(platen, receiverId);
  return next?.id ? findDelivery(platen, next.id) : null;
}

/** First attempts in event order come before retries. */
const nextDelivery = prepareSql<{ id: number | null }, [Record<string, number>]>(
  `SELECT iif(${FIRST_DUE} <= $at, (${FIRST}), (${AGAIN})) AS id FROM receivers WHERE id = $id`,
);

const markSending = prepareSql<void, [number]>("UPDATE deliveries SET state = 'sending' WHERE id = ?");

export function findDelivery(platen: Platen, id: number): ClaimedDelivery | null {
  const row = withEventAndReceiver(platen).get({ id });
  return row ? { ...row.delivery, event: row.event, receiver: row.receiver } : null;
}

const withEventAndReceiver = prepared((db) =>
  db
    .select({ delivery: deliveries, event: events, receiver: receivers })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .innerJoin(receivers, eq(receivers.id, deliveries.receiverId))
    .where(eq(deliveries.id, sql.placeholder("id")))
    .prepare(),
);

/**
 * Keeps the response cache valid. Do not call this in another transaction.
 * @param isDurable whether to sync the commit; needed unless the work may be repeated after a crash
 */
export function inOutboxTransaction(platen: Platen, isDurable: boolean, work: () => void): void {
  keepDataVersion(platen, () =>
    isDurable ? inTransaction(platen, work) : inUnsyncedTransaction(platen, work),
  );
}

export function releaseAbandonedClaims(platen: Platen, channels: readonly Channel[]): void {
  for (const { id, receiverId, channel } of sending(platen).all())
    if (channels.find(({ name }) => name === channel)?.isSentOnce)
      updateRows(platen, deliveries, { id }, { state: "unsure", dueAt: null, settledAt: platen.now() });
    else releaseClaim(platen, { id, receiverId });
}

export const SENDING = `
  SELECT deliveries.id, receiver_id AS receiverId, channel FROM deliveries
  JOIN receivers ON receivers.id = receiver_id WHERE state = 'sending'`;

const sending = prepareSql<{ id: number; receiverId: number; channel: string }, []>(SENDING);

export function releaseClaim(platen: Platen, { id, receiverId }: Pick<ClaimedDelivery, "id" | "receiverId">) {
  updateRows(platen, deliveries, { id, state: "sending" }, { state: "pending" });
  refreshNextDue(platen, receiverId);
}

export function countWaiting({ db }: Platen): number {
  const counts = "SELECT count(*) FROM deliveries WHERE state = 'pending' AND attempts";
  return db.$client.query<{ n: number }, []>(`SELECT (${counts} = 0) + (${counts} > 0) AS n`).get()?.n ?? 0;
}
