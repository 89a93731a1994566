import { deleteOldAuditEvents } from "../../accounts/audit-log";
import { deleteOldResponses } from "../../accounts/idempotent-responses";
import { deleteEndedInvitations } from "../../accounts/invitations";
import { saveKeyUses } from "../../accounts/keys";
import { deleteEndedResets } from "../../accounts/password-resets";
import { deleteEndedSessions } from "../../accounts/sessions";
import { HOUR, MINUTE } from "../../config/units";
import { waitForLock } from "../../database/transactions";
import { WalKeeper } from "../../database/wal/wal-keeper";
import { deleteOldDeliveries } from "../../deliveries/delivery-log";
import { deleteOldActivities, deleteUnusedActors, retryDeadInboxes } from "../../fediverse/retention";
import { deleteOldJobs } from "../../jobs/jobs";
import { deleteUnconfirmedAnswerMails } from "../../komments/answer-mails";
import { renditionCacheTask } from "../../media/store/rendition-cache";
import { deleteExpiredRequests } from "../../newsletter/subscribing";
import type { Platen } from "../../platen";
import { pruneRevisions } from "../../posts/revisions/storing-and-pruning";
import { mergeOldViews, writeAllViews, writeViews } from "../../posts/statistics/view-counts";
import { purgeExpiredPosts } from "../../posts/trash/listing-and-purging";
import { deleteOldUnsaved } from "../../posts/unsaved/unsaved-posts";
import { deletedMediaFiles } from "../deleted-media-files";
import { deleteOldFiles } from "../kept-files";
import { nightlySnapshots } from "../recovery/snapshots";
import { diskReserve } from "../reserve-file";
import { inBatches, mayWrite, runEvery, runTask } from "./task-timer";

/** Interval of saving view counts and times of key use. A power failure loses at most the last interval. */
const SAVE_COUNTS_EVERY_MS = MINUTE;

/** Each task deletes expired data. It returns true if it deleted some and may have more to delete. */
export const EXPIRY_TASKS: ((platen: Platen) => unknown)[] = [
  deleteOldResponses,
  deleteEndedSessions,
  deleteOldAuditEvents,
  deleteEndedInvitations,
  deleteEndedResets,
  deleteExpiredRequests,
  deleteUnconfirmedAnswerMails,
  deleteOldDeliveries,
  purgeExpiredPosts,
  deleteOldUnsaved,
  pruneRevisions,
  deleteOldJobs,
  deleteOldFiles,
  mergeOldViews,
  deleteOldActivities,
  deleteUnusedActors,
  retryDeadInboxes,
];

/** Maintenance of the data folder while a server runs. Call `step` every few seconds. */
export function periodicTasks(platen: Platen): { step(): void; stop(): Promise<void> } {
  const stopping = new AbortController();
  const snapshots = nightlySnapshots(platen);
  const wal = new WalKeeper(platen, { hasSnapshotSince: snapshots.hasOneSince });
  const renditions = renditionCacheTask(platen);
  const deletedMedia = deletedMediaFiles(platen);
  const steppers = [wal, snapshots, diskReserve(platen), renditions, deletedMedia];
  const tasks = [
    ...steppers.map((stepper) => () => runTask(platen, () => stepper.step())),
    ...EXPIRY_TASKS.map((task) => runEvery(platen, HOUR, inBatches(stopping.signal, task))),
    runEvery(platen, SAVE_COUNTS_EVERY_MS, inBatches(stopping.signal, writeViews)),
    runEvery(platen, SAVE_COUNTS_EVERY_MS, saveKeyUses),
  ];
  return {
    step() {
      for (const task of tasks) task();
    },
    async stop() {
      stopping.abort();
      await waitForLock(platen);
      for (const save of [writeAllViews, saveKeyUses])
        if (mayWrite(platen)) runTask(platen, () => save(platen));
      await Promise.all([snapshots.stop(), wal.settled(), renditions.stop(), deletedMedia.stop()]);
    },
  };
}
