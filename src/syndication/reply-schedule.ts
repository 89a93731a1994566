import { eq, isNotNull, lte, min } from "drizzle-orm";
import { DAY, HOUR, MINUTE } from "../config/units";
import { prepared } from "../database/prepared";
import { copies } from "../database/schema";
import { inInvisibleTransaction } from "../database/transactions";
import { addDeliveries, recordEvent } from "../deliveries/events";
import { ensureReceiver } from "../deliveries/receivers";
import type { Platen } from "../platen";

const CHECK_DELAYS_MS = [10 * MINUTE, HOUR, 6 * HOUR, DAY, 3 * DAY, 7 * DAY];

export function firstCheck(sentAt: Date): Date {
  return new Date(sentAt.getTime() + (CHECK_DELAYS_MS[0] as number));
}

const MAX_CHECKS = 20;
export const REPLIES = "copy-replies";

// With this condition, SQLite can use the partial index of rows with a time.
const nextCheck = prepared((db) =>
  db
    .select({ at: min(copies.checkAt) })
    .from(copies)
    .where(isNotNull(copies.checkAt))
    .prepare(),
);

export function queueDueChecks(platen: Platen): number {
  const at = platen.now();
  const next = () => nextCheck(platen).get()?.at?.getTime() ?? Number.POSITIVE_INFINITY;
  if (next() > at.getTime()) return next();
  const due = platen.db.select().from(copies).where(lte(copies.checkAt, at)).limit(MAX_CHECKS).all();
  inInvisibleTransaction(platen, () => {
    for (const { id, blogId, postId, sentAt, checks, url } of due) {
      const delay = CHECK_DELAYS_MS[checks + 1];
      const checkAt = sentAt && delay !== undefined ? new Date(sentAt.getTime() + delay) : null;
      platen.db
        .update(copies)
        .set({ checks: checks + 1, checkAt })
        .where(eq(copies.id, id))
        .run();
      const receiver = ensureReceiver(platen, { channel: REPLIES, blogId, url: new URL(url).origin });
      const event = { channel: REPLIES, blogId, postId, name: "copy.replies", at, isQueued: true };
      addDeliveries(platen, recordEvent(platen, event), receiver.id, [String(id)]);
    }
  });
  return next();
}
