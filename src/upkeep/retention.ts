import { lte } from "drizzle-orm";
import { idempotentAnswers, sessions } from "../database/schema";
import type { Platen } from "../platen";
import { deleteOldDeliveries } from "../webhooks/delivery-log";

/** How long the first answer to a write is kept for repeats, in milliseconds (contract.md 4). */
export const ANSWERS_KEPT_FOR = 24 * 60 * 60 * 1000;

/** Removes what has had its time: answers kept for repeats, sessions, the log of webhooks. */
export function deleteExpired(platen: Platen): void {
  const at = platen.now();
  const oldestAnswer = new Date(at.getTime() - ANSWERS_KEPT_FOR);
  platen.db.delete(idempotentAnswers).where(lte(idempotentAnswers.createdAt, oldestAnswer)).run();
  platen.db.delete(sessions).where(lte(sessions.expiresAt, at)).run();
  deleteOldDeliveries(platen);
}
