import { and, eq } from "drizzle-orm";
import { prepareSql } from "../database/prepared";
import { attempts, deliveries } from "../database/schema";
import type { Platen } from "../platen";
import type { Receiver } from "./channel";
import type { Attempt } from "./delivery-log";
import { IS_FAILED } from "./redeliver";

interface ReceiverHealth {
  /** undefined: there was no attempt, or it was deleted. */
  last: Attempt | undefined;
  /** Deliveries pending their first attempt. Both counts stop at MAX_COUNTED. */
  waiting: number;
  failed: number;
}

export const MAX_COUNTED = 1000;

export function receiverHealth(platen: Platen, { id, lastAttemptId }: Receiver): ReceiverHealth {
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
