import { keepLockForServing } from "../../database/folder-locks";
import { unlessLocked } from "../../database/transactions";
import { DatabaseFault, noRoom } from "../../errors";
import { jobRunner } from "../../jobs/job-runner";
import { storeLoop } from "../../media/moving/store-loop";
import { guardedClient } from "../../outgoing/guarded-client";
import type { Platen } from "../../platen";
import { makeOlderExcerpts } from "../../posts/parts/older-excerpts";
import { indexWaiting } from "../../posts/parts/search-index";
import { announceDue } from "../../posts/writing/announcing";
import { scheduledBackups } from "../../upkeep/backup/scheduled-backups";
import { periodicTasks } from "../../upkeep/periodic-tasks";
import { pagePurges } from "../../upkeep/purging/page-purges";
import { finishRemovals } from "../../upkeep/removal/removed-media";
import { webhookLoop } from "../../webhooks/delivery-loop";
import { JOB_KINDS } from "../jobs/job-kinds";
import { storeBaseAddress } from "../shell/base-address";

const SECOND = 1000;

const UPKEEP_EVERY = 10 * SECOND;
/** How long changes may go to a file that was deleted meanwhile; looking takes microseconds. */
const LOOK_EVERY = SECOND;
/** How late a scheduled post may be announced; finding none costs microseconds. */
const ANNOUNCE_EVERY = SECOND;
/** How late a job may begin or be cancelled; finding none costs microseconds. */
const JOBS_EVERY = SECOND;
/** Changes within it are told together. */
const PURGE_EVERY = SECOND;
/** How late an upload may be moved to the store; finding none costs microseconds. */
const STORE_EVERY = SECOND;
/** A hundred posts from before there were excerpts each time. */
const EXCERPTS_EVERY = SECOND / 4;

/**
 * What a server does beside answering, all of which writes to the database.
 * @param asked how many requests it has been sent so far
 */
export function startWork(
  platen: Platen,
  asked: () => number,
): {
  /** @param finished once no request is under way that leaves something to be written */
  stop(finished?: Promise<void>): Promise<void>;
} {
  unlessFull(platen, () => storeBaseAddress(platen));
  const webhooks = webhookLoop(platen, guardedClient(platen.config, { keepsConnections: true }), { asked });
  const stop = async (finished?: Promise<void>) => {
    clearInterval(rounds);
    clearInterval(olderExcerpts);
    store.stop();
    await Promise.all([finished, webhooks.stop(), purges.stop(), backups.stop(), jobs.stop()]);
    await Promise.all([finished, webhooks.stop(), backups.stop(), jobs.stop()]);
    await tasks.stop();
  };
  const tasks = periodicTasks(platen, {
    onLostFile: () => process.exit(1),
    onDamage: () => void stop(),
  });
  const backups = scheduledBackups(platen);
  const purges = pagePurges(platen, guardedClient(platen.config));
  const store = storeLoop(platen);
  const jobs = jobRunner(platen, JOB_KINDS);
  unlessFull(platen, () => {
    finishRemovals(platen);
    unlessLocked(platen, () => indexWaiting(platen));
    announceDue(platen);
  });
  webhooks.start();
  const olderExcerpts = setInterval(() => {
    unlessLocked(platen, () => {
      if (!makeOlderExcerpts(platen)) clearInterval(olderExcerpts);
    });
  }, EXCERPTS_EVERY);
  const rounds = inOneTimer(platen, [
    [LOOK_EVERY, tasks.look],
    [LOOK_EVERY, () => goOnServing(platen)],
    [ANNOUNCE_EVERY, () => announceDue(platen)],
    [JOBS_EVERY, jobs.step],
    [PURGE_EVERY, purges.step],
    [STORE_EVERY, store.step],
    [UPKEEP_EVERY, tasks.step],
    [UPKEEP_EVERY, backups.step],
  ]);
  return { stop };
}

/**
 * Several timers would wake the process several times as often, which is most of what it costs at rest. What another
 * process keeps from writing is done in a later round: requests are answered meanwhile.
 */
function inOneTimer(platen: Platen, works: [every: number, work: () => void][]): Timer {
  let round = 0;
  return setInterval(() => {
    round++;
    for (const [every, work] of works)
      try {
        if ((round * SECOND) % every === 0) unlessLocked(platen, work);
      } catch (fault) {
        platen.log(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
      }
  }, SECOND);
}

function goOnServing(platen: Platen): void {
  try {
    keepLockForServing(platen.config.data);
  } catch (fault) {
    if (!(fault instanceof DatabaseFault)) throw fault;
    platen.log(fault.message);
    process.exit(1);
  }
}

/** Pages are served from a full disk too; each change is refused, and says why. */
function unlessFull(platen: Platen, work: () => void): void {
  try {
    work();
  } catch (fault) {
    if (!noRoom(fault)) throw fault;
    platen.log("The disk is full: nothing can be written until some space is free.");
  }
}
