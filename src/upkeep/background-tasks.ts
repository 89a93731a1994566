import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { saveKeyUses } from "../accounts/api-keys";
import { deleteOldAuditEvents } from "../accounts/audit-log";
import { deleteOldResponses } from "../accounts/idempotent-responses";
import { deleteEndedResets } from "../accounts/passwords";
import { deleteEndedInvitations } from "../accounts/people-and-invitations";
import { deleteEndedSessions } from "../accounts/sessions";
import { DAY, HOUR, MINUTE, SECOND } from "../config/units";
import { writeVersion } from "../database/change-counter";
import { renewServingLock } from "../database/folder-locks";
import { unlessLocked, waitForLock } from "../database/transactions";
import { WalKeeper } from "../database/wal-keeper";
import type { Channel } from "../deliveries/channel";
import { deleteOldDeliveries } from "../deliveries/delivery-log-and-redelivery";
import { deliveryLoop } from "../deliveries/delivery-loop";
import { asDiskFull, DatabaseError } from "../errors";
import { retryDeadInboxes } from "../fediverse/followers-and-dead-inboxes";
import { deleteOldActivities, deleteUnusedActors } from "../fediverse/remote-actors";
import { jobRunner } from "../jobs/job-runner";
import { type AnyJobKind, deleteOldJobs } from "../jobs/jobs";
import { deleteUnconfirmedAnswerMails } from "../komments/answer-mails";
import { deleteOldMediaFiles } from "../media/deleting-media";
import { storeLoop } from "../media/moving-media";
import { deleteExpiredRequests } from "../newsletter/subscribing-and-unsubscribing";
import { guardedClient } from "../outgoing/guarded-client";
import type { Platen } from "../platen";
import { indexMissingPosts } from "../posts/storage/full-text-search";
import { purgeExpiredPosts } from "../posts/trash";
import { deleteOldUnsaved } from "../posts/unsaved-posts";
import { mergeOldViews, writeViews } from "../posts/view-counts";
import { pruneRevisions } from "../posts/writing/revisions";
import { publishDuePosts } from "../posts/writing/scheduled-posts";
import { updateDiskReserve } from "../runtime/disk-space";
import { createMissingSecrets } from "../secrets";
import { scheduledBackups } from "./backup/backup-schedule";
import { cdnPurges } from "./cdn-purges";
import { deleteOldFiles } from "./import-and-export-files";
import { getDamage, stopWritesIfMoved } from "./recovery/damaged-database";
import { nightlySnapshots } from "./recovery/snapshots";
import { resumeRemovals } from "./removal/unfinished-removals";

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
  const steps = [() => wal.step(), snapshots.step, () => updateDiskReserve(platen)];
  const tasks = [
    ...steps.map((step) => () => runTask(platen, step)),
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

const RETRY_MS = 60_000;
const BATCH_PAUSE_MS = 50;

interface Schedule {
  regularly: [seconds: number, task: () => void][];
  /**
   * Tasks that run after a write, after the clock was set back, and when due. Each returns the time when it
   * is due next, in milliseconds since 1970.
   */
  whenDue: (() => number)[];
}

/**
 * One timer for all tasks, because each timer wakes an idle process.
 * @returns a function that runs one round; call it every second
 */
function scheduleRounds(platen: Platen, { regularly, whenDue }: Schedule): () => void {
  let round = 0;
  let [seen, lookedAt, nextDue] = ["", 0, 0];
  return () => {
    round++;
    for (const [seconds, task] of regularly) if (round % seconds === 0) logErrors(platen, task);
    const version = writeVersion(platen);
    const at = platen.now().getTime();
    if (version === seen && at >= lookedAt && at < nextDue) return;
    [seen, lookedAt] = [version, at];
    nextDue = Math.min(...whenDue.map((task) => runTask(platen, task)?.result ?? 0));
  };
}

/** Logs errors. @returns null if the task failed, or was skipped because another process is writing */
function runTask<Result>(platen: Platen, task: () => Result): { result: Result } | null {
  let done = null as { result: Result } | null;
  const run = () => {
    done = { result: task() };
  };
  logErrors(platen, () => unlessLocked(platen, run));
  return done;
}

function logErrors(platen: Platen, task: () => void): void {
  try {
    task();
  } catch (error) {
    logFailure(platen, error);
  }
}

function logFailure(platen: Platen, error: unknown): void {
  const message = error instanceof Error ? error.message : error;
  platen.log(`A background task failed and will be retried: ${message}`);
}

function runEvery(platen: Platen, interval: number, task: (platen: Platen) => unknown): () => void {
  let dueAt = platen.now().getTime();
  return () => {
    if (!mayWrite(platen)) return;
    const now = platen.now().getTime();
    const wasClockSetBack = dueAt > now + interval;
    if (now < dueAt && !wasClockSetBack) return;
    dueAt = now + (runTask(platen, () => task(platen)) ? interval : RETRY_MS);
  };
}

/** @param task returns true, or a promise of true, if it must be called again after a pause */
function inBatches(stopping: AbortSignal, task: (platen: Platen) => unknown) {
  let isRunning = false;
  const repeat = async (platen: Platen, first: unknown) => {
    isRunning = true;
    try {
      for (let result = first; (await result) === true; ) {
        await Bun.sleep(BATCH_PAUSE_MS);
        const mayRun = !stopping.aborted && mayWrite(platen);
        result = mayRun && runTask(platen, () => task(platen))?.result;
      }
    } finally {
      isRunning = false;
    }
  };
  return (platen: Platen) => {
    if (isRunning) return;
    const first = task(platen);
    if (first === true || first instanceof Promise)
      repeat(platen, first).catch((error) => logFailure(platen, error));
  };
}

const mayWrite = (platen: Platen) => getDamage(platen) === null;

const MAX_GAP_MS = DAY;
const MISTRUST_MS = DAY;

/**
 * After a gap, the clock may be wrong, as in a computer without a battery, or the owner may have restored an
 * old backup. Deleting everything that seems expired at once would then lose data.
 * @param lastWriteAt from `lastWriteTime`
 * @returns a function that returns false for a day after a gap; call it at least once a day
 */
export function clockWatch(lastWriteAt: number): (platen: Platen) => boolean {
  let lastAt = lastWriteAt;
  let mistrustMs = 0;
  return ({ now }) => {
    const passed = now().getTime() - lastAt;
    lastAt += passed;
    mistrustMs = passed > MAX_GAP_MS ? MISTRUST_MS : mistrustMs - Math.max(0, passed);
    return mistrustMs <= 0;
  };
}

/** Opening the database may change this time. @returns milliseconds since 1970; 0 without a readable database */
export function lastWriteTime(folder: string): number {
  // `existsSync` is false for a folder that this user may not read, which a later check reports.
  const files = ["platen.db", "platen.db-wal"].map((name) => join(folder, name)).filter(existsSync);
  return Math.max(0, ...files.map((file) => statSync(file).mtimeMs));
}
