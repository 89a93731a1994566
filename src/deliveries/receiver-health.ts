import { and, eq } from "drizzle-orm";
import { prepareSql } from "../database/prepared";
import { attempts, deliveries } from "../database/schema";
import type { Platen } from "../platen";
import type { Receiver } from "./channel";
import { IS_FAILED } from "./redeliver";

/** Both counts stop here. */
export const MAX_COUNTED = 1000;

/** `last` is undefined if there was no attempt, or if it was deleted. */
export function receiverHealth(platen: Platen, { id, lastAttemptId }: Receiver) {
  const last = platen.db
    .select({ attempt: attempts })
    .from(attempts)
    .innerJoin(deliveries, eq(deliveries.id, attempts.deliveryId))
    .where(and(eq(attempts.id, lastAttemptId ?? 0), eq(deliveries.receiverId, id)))
    .get()?.attempt;
  const counted = (list: typeof waiting) => list(platen).get(id, MAX_COUNTED)?.number ?? 0;
  return { last, waiting: counted(waiting), failed: counted(failed) };
}

const countOf = (condition: string) =>
  prepareSql<{ number: number }, [receiverId: number, most: number]>(
    `SELECT count(*) AS number FROM (SELECT 1 FROM deliveries WHERE receiver_id = ? AND ${condition} LIMIT ?)`,
  );
const waiting = countOf("state = 'pending' AND attempts = 0");
const failed = countOf(IS_FAILED);
