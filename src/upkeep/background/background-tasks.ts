import { SECOND } from "../../config/units";
import { renewServingLock } from "../../database/folder-locks";
import { createMissingSecrets } from "../../database/instance-settings";
import type { Channel } from "../../deliveries/channel";
import { deliveryLoop } from "../../deliveries/delivery-loop";
import { asDiskFull, DatabaseError } from "../../errors";
import type { AnyJobKind } from "../../jobs/job";
import { jobRunner } from "../../jobs/job-runner";
import { storeLoop } from "../../media/moving/store-loop";
import { guardedClient } from "../../outgoing/guarded-client";
import type { Platen } from "../../platen";
import { indexMissingPosts } from "../../posts/search/search-index";
import { publishDuePosts } from "../../posts/writing/publishing";
import { scheduledBackups } from "../backup/scheduled-backups";
import { cdnPurges } from "../purging/cdn-purges";
import { resumeRemovals } from "../removal/removal-job";
import { periodicTasks } from "./periodic-tasks";
import { scheduleRounds } from "./task-timer";

/**
 * Interval of rounds: the maximum delay of scheduled posts, webhooks, jobs, purges and uploads to the object store.
 */
const ROUND_MS = SECOND;
const PERIODIC_TASKS_EVERY_SECONDS = 10;
/** Delay of the first round. Requests that arrived during the start come first. */
const FIRST_DELIVERY_MS = SECOND / 4;

interface Options {
  channels: readonly Channel[];
  jobKinds: readonly AnyJobKind[];
  /** Time of the last request, by `performance.now()`. */
  lastRequestAt(): number;
  /** Called before the first round, for other writes of the start. */
  prepare?(): void;
}

interface BackgroundTasks {
  round(): void;
  /** @param finished resolves when no request is running */
  stop(finished?: Promise<void>): Promise<void>;
}

/** Starts all background work of a server. */
export function startBackgroundTasks(
  platen: Platen,
  { channels, jobKinds, lastRequestAt, prepare = () => {} }: Options,
): BackgroundTasks {
  unlessDiskFull(platen, () => {
    prepare();
    createMissingSecrets(platen);
    resumeRemovals(platen);
  });
  const client = guardedClient(platen.config, { keepsConnections: true });
  const deliveries = deliveryLoop(platen, channels, client, { lastRequestAt });
  const tasks = periodicTasks(platen);
  const backups = scheduledBackups(platen);
  const purges = cdnPurges(platen, guardedClient(platen.config));
  const store = storeLoop(platen);
  const jobs = jobRunner(platen, jobKinds);
  const firstDelivery = setTimeout(() => {
    deliveries.sendDue();
    indexMissingPosts(platen).catch((error) => platen.log(`Posts could not be indexed: ${error.message}`));
  }, FIRST_DELIVERY_MS);
  const round = scheduleRounds(platen, {
    regularly: [
      [1, () => checkServingLock(platen)],
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
  return {
    round,
    async stop(finished) {
      clearTimeout(firstDelivery);
      clearInterval(rounds);
      store.stop();
      await Promise.all([finished, deliveries.stop(), purges.stop(), backups.stop(), jobs.stop()]);
      await tasks.stop();
    },
  };
}

/** Ends this process if another one serves the folder. */
function checkServingLock(platen: Platen): void {
  try {
    renewServingLock(platen.config.data);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    platen.log(error.message);
    process.exit(1);
  }
}

/** Runs work, but ignores a full disk: the server still serves pages, and each write reports the error. */
function unlessDiskFull(platen: Platen, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!asDiskFull(error)) throw error;
    platen.log("The disk is full: nothing can be written until some space is free.");
  }
}
