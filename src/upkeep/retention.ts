import { deleteOldAnswers } from "../accounts/idempotent-answers";
import { deleteEndedSessions } from "../accounts/sessions";
import type { Platen } from "../platen";
import { deleteOldDeliveries } from "../webhooks/delivery-log";

/** Removes what has had its time; how long that is stands beside what it is. */
export function deleteExpired(platen: Platen): void {
  deleteOldAnswers(platen);
  deleteEndedSessions(platen);
  deleteOldDeliveries(platen);
}
