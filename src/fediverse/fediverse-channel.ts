import { MINUTE, SECOND } from "../config/units";
import { prepareSql } from "../database/prepared";
import { CHANGED_PROFILES } from "../database/schema";
import type { Channel } from "../deliveries/channel";
import type { Platen } from "../platen";
import { recordDeadInbox } from "./dead-inboxes";
import { DUE_OBJECTS, queueActivity, sendActivity, sendDueUpdates } from "./fediverse-sender";

export const fediverseChannel: Channel = {
  name: "fediverse",
  maxOpen: 16,
  // Servers fetch a linked page when they receive a link, so slow sending spreads these requests.
  pace: () => ({ starts: 4, within: SECOND }),
  disablesReceivers: true,
  recordDue: sendCollectedEdits,
  queue: queueActivity,
  send: sendActivity,
  afterOutcome: recordDeadInbox,
};

function sendCollectedEdits(platen: Platen): number {
  const at = platen.now().getTime();
  if (nextEdit(platen) > at) return nextEdit(platen);
  sendDueUpdates(platen);
  return Math.max(nextEdit(platen), at + SECOND);
}

function nextEdit(platen: Platen): number {
  const times = [firstDue(platen).get()?.at, firstProfile(platen).get()?.at];
  return Math.min(...times.map((at) => at ?? Number.POSITIVE_INFINITY));
}

const firstProfile = prepareSql<{ at: number | null }, []>(
  `SELECT min(blogs.updated_at) + ${MINUTE} AS at ${CHANGED_PROFILES}`,
);

const firstDue = prepareSql<{ at: number | null }, []>(`SELECT min(changed_at) AS at ${DUE_OBJECTS}`);
