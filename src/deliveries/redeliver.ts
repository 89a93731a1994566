import type { Blog } from "../blogs/blogs";
import { among, prepareSql } from "../database/prepared";
import { updateRows } from "../database/rows";
import { deliveries } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict, notFound } from "../errors";
import type { Platen } from "../platen";
import type { Channel, Delivery } from "./channel";
import { findDelivery } from "./claims";
import { listReceivers, refreshNextDue } from "./receivers";

/** The delivery keeps its id. Its retry schedule starts again. */
export function redeliver(platen: Platen, id: number): void {
  inTransaction(platen, () => {
    const found = findDelivery(platen, id);
    if (!found) throw notFound("delivery");
    const { url, removedAt, disabledAt } = found.receiver;
    if (removedAt) throw conflict(`${url} has been removed; add it again first.`);
    if (disabledAt) throw conflict(`${url} is disabled; enable it first.`);
    if (found.state === "sending") throw conflict(`Delivery ${id} is being sent right now.`);
    queueAgain(platen, found.receiverId, [id]);
  });
}

/**
 * Includes deliveries that wait for a retry, whatever `since` is. Skips disabled and removed receivers.
 * @returns number of deliveries
 */
export function redeliverFailed(platen: Platen, { name }: Channel, since: Date, blog?: Blog): number {
  return inTransaction(platen, () => {
    let count = 0;
    for (const { id: receiverId, disabledAt } of listReceivers(platen, name, blog?.id)) {
      const failed = disabledAt ? [] : failedSince(platen).all(receiverId, since.getTime());
      const ids = failed.map(({ id }) => id);
      if (ids.length > 0) queueAgain(platen, receiverId, ids);
      count += ids.length;
    }
    return count;
  });
}

/**
 * Must repeat the condition of the partial index `deliveries_failed`. Otherwise SQLite does not use the
 * index.
 */
export const IS_FAILED = "(state in ('failed', 'dropped', 'unsure') or (state = 'pending' and failures > 0))";

export function hasFailed(delivery: Pick<Delivery, "state" | "failures">): boolean {
  return ["failed", "dropped", "unsure"].includes(delivery.state) || willRetry(delivery);
}

export function willRetry({ state, failures }: Pick<Delivery, "state" | "failures">): boolean {
  return state === "pending" && failures > 0;
}

const failedSince = prepareSql<{ id: number }, [receiverId: number, since: number]>(
  `SELECT id FROM deliveries WHERE receiver_id = ? AND ${IS_FAILED} AND (state = 'pending' OR settled_at >= ?)`,
);

function queueAgain(platen: Platen, receiverId: number, ids: number[]): void {
  const pending = { state: "pending" as const, failures: 0, dueAt: platen.now() };
  updateRows(platen, deliveries, among(deliveries.id, ids), { ...pending, heldSince: null, settledAt: null });
  refreshNextDue(platen, receiverId);
}
