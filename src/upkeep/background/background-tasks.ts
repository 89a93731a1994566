import { deleteOldAuditEvents } from "../../accounts/audit-log";
import { deleteOldResponses } from "../../accounts/idempotent-responses";
import { deleteEndedInvitations } from "../../accounts/invitations";
import { saveKeyUses } from "../../accounts/keys";
import { deleteEndedResets } from "../../accounts/passwords";
import { deleteEndedSessions } from "../../accounts/sessions";
import { HOUR, MINUTE, SECOND } from "../../config/units";
import { renewServingLock } from "../../database/folder-locks";
import { waitForLock } from "../../database/transactions";
import { WalKeeper } from "../../database/wal-keeper";
import type { Channel } from "../../deliveries/channel";
import { deleteOldDeliveries } from "../../deliveries/delivery-log";
import { deliveryLoop } from "../../deliveries/delivery-loop";
import { asDiskFull, DatabaseError } from "../../errors";
import { retryDeadInboxes } from "../../fediverse/followers";
import { deleteOldActivities, deleteUnusedActors } from "../../fediverse/remote-actors";
import type { AnyJobKind } from "../../jobs/job";
import { jobRunner } from "../../jobs/job-runner";
import { deleteOldJobs } from "../../jobs/stored-jobs";
import { deleteUnconfirmedAnswerMails } from "../../komments/answer-mails";
import { deleteOldMediaFiles } from "../../media/deleting-media";
import { storeLoop } from "../../media/moving-media";
import { deleteExpiredRequests } from "../../newsletter/subscribing";
import { guardedClient } from "../../outgoing/guarded-client";
import type { Platen } from "../../platen";
import { indexMissingPosts } from "../../posts/storage/full-text-search";
import { purgeExpiredPosts } from "../../posts/trash";
import { deleteOldUnsaved } from "../../posts/unsaved-posts";
import { mergeOldViews, writeViews } from "../../posts/view-counts";
import { pruneRevisions } from "../../posts/writing/revisions";
import { publishDuePosts } from "../../posts/writing/scheduled-posts";
import { createMissingSecrets } from "../../secrets";
import { scheduledBackups } from "../backup/scheduled-backups";
import { deleteOldFiles } from "../import-and-export-files";
import { cdnPurges } from "../purging/cdn-purges";
import { stopWritesIfMoved } from "../recovery/damaged-database";
import { nightlySnapshots } from "../recovery/snapshots";
import { resumeRemovals } from "../removal/removal-job";
import { diskReserve } from "../reserve-file";
import { inBatches, mayWrite, runEvery, runTask, scheduleRounds } from "./task-timer";

const ROUND_MS = SECOND;
const PERIODIC_TASKS_EVERY_SECONDS = 10;
const SAVE_COUNTS_EVERY_MS = MINUTE;
const FIRST_DELIVERY_MS = SECOND / 4;

interface Options {
  channels: readonly Channel[];
  jobKinds: readonly AnyJobKind[];
  /** Value of `performance.now()` at the last request. */
  lastRequestAt(): number;
  /** While false, nothing expires. */
  trustsClock?(platen: Platen): boolean;
  prepare?(): void;
}

export function startBackgroundTasks(
  platen: Platen,
  { channels, jobKinds, lastRequestAt, trustsClock, prepare = () => {} }: Options,
) {
  unlessDiskFull(platen, () => {
    prepare();
    createMissingSecrets(platen);
    resumeRemovals(platen);
  });
  const client = guardedClient(platen.config);
  const deliveries = deliveryLoop(platen, channels, client, { lastRequestAt });
  const tasks = periodicTasks(platen, trustsClock);
  const backups = scheduledBackups(platen);
  const purges = cdnPurges(platen, client);
  const store = storeLoop(platen);
  const jobs = jobRunner(platen, jobKinds);
  const firstDelivery = setTimeout(() => {
    deliveries.sendDue();
    indexMissingPosts(platen).catch((error) => platen.log(`Posts could not be indexed: ${error.message}`));
  }, FIRST_DELIVERY_MS);
  const round = scheduleRounds(platen, {
    regularly: [
      [1, () => (stopWritesIfMoved(platen) ? void stop() : checkServingLock(platen))],
      [PERIODIC_TASKS_EVERY_SECONDS, tasks.step],
      [PERIODIC_TASKS_EVERY_SECONDS, backups.step],
    ],
    whenDue: [
      () => publishDuePosts(platen),
      ...channels.flatMap(({ recordDue }) => (recordDue ? [() => recordDue(platen)] : [])),
      deliveries.sendDue,
      jobs.step,
      purges.step,
      store.step,
    ],
  });
  const rounds = setInterval(round, ROUND_MS);
  /** @param finished resolves when no request is running */
  async function stop(finished?: Promise<void>): Promise<void> {
    clearTimeout(firstDelivery);
    clearInterval(rounds);
    store.stop();
    await Promise.all([finished, deliveries.stop(), purges.stop(), backups.stop(), jobs.stop()]);
    await tasks.stop();
  }
  return { round, stop };
}

function checkServingLock(platen: Platen): void {
  try {
    renewServingLock(platen.config.data);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    platen.log(error.message);
    process.exit(1);
  }
}

/** With a full disk, the server must still serve pages. Each later write reports the error. */
function unlessDiskFull(platen: Platen, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!asDiskFull(error)) throw error;
    platen.log("The disk is full: nothing can be written until some space is free.");
  }
}

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

export function periodicTasks(platen: Platen, trustsClock: Options["trustsClock"] = () => true) {
  const stopping = new AbortController();
  const snapshots = nightlySnapshots(platen);
  const wal = new WalKeeper(platen, { hasSnapshotSince: snapshots.hasOneSince });
  const steppers = [wal, snapshots, diskReserve(platen)];
  const tasks = [
    ...steppers.map((stepper) => () => runTask(platen, () => stepper.step())),
    runEvery(platen, MINUTE, inBatches(stopping.signal, deleteOldMediaFiles)),
    runEvery(platen, SAVE_COUNTS_EVERY_MS, writeViews),
    runEvery(platen, SAVE_COUNTS_EVERY_MS, saveKeyUses),
  ];
  const expiryTasks = EXPIRY_TASKS.map((task) => runEvery(platen, HOUR, inBatches(stopping.signal, task)));
  return {
    step() {
      for (const task of trustsClock(platen) ? [...expiryTasks, ...tasks] : tasks) task();
    },
    async stop() {
      stopping.abort();
      await waitForLock(platen);
      for (const save of [writeViews, saveKeyUses]) if (mayWrite(platen)) runTask(platen, () => save(platen));
      await Promise.all([snapshots.stop(), wal.settled()]);
    },
  };
}
