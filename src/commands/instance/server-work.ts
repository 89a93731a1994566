import { SECOND } from "../../config/units";
import { keepLockForServing } from "../../database/folder-locks";
import { makeSecrets } from "../../database/settings/instance-secret";
import { unlessLocked } from "../../database/transactions";
import { DatabaseFault, noRoom } from "../../errors";
import { jobRunner } from "../../jobs/job-runner";
import { storeLoop } from "../../media/moving/store-loop";
import { guardedClient } from "../../outgoing/guarded-client";
import type { Platen } from "../../platen";
import { indexMissingPosts } from "../../posts/search/search-index";
import { makeOlderExcerpts } from "../../posts/storage/stored-content";
import { announceDue } from "../../posts/writing/post-events";
import { scheduledBackups } from "../../upkeep/backup/scheduled-backups";
import { periodicTasks } from "../../upkeep/periodic-tasks";
import { pagePurges } from "../../upkeep/purging/page-purges";
import { goOnRemoving } from "../../upkeep/removal/removal-job";
import { deleteAbandonedCopies } from "../../upkeep/removal/removed-media";
import { webhookLoop } from "../../webhooks/delivery/delivery-loop";
import { JOB_KINDS } from "../jobs/job-kinds";
import { storeBaseAddress } from "../shell/base-address";
import { storePrivateHosts } from "../shell/server-private-hosts";
import { rounds } from "./work-timer";

/** In seconds. */
const UPKEEP_EVERY = 10;
/**
 * How long changes may go to a file that was deleted meanwhile; and how late a scheduled post may be announced, a webhook
 * be sent, a job begin or be cancelled, an upload be moved to the store. Changes of pages within it are told together.
 */
const ROUND = SECOND;
/** Whoever waited for the server to start is answered first. */
const BEGINS_AFTER = SECOND / 4;
/** A hundred posts from before there were excerpts each time. */
const EXCERPTS_EVERY = SECOND / 4;

/**
 * What a server does beside answering, all of which writes to the database.
 * @param lastRequestAt when it was last sent a request, by `performance.now()`
 */
export function startWork(
  platen: Platen,
  lastRequestAt: () => number,
): {
  /** Once more than every second. */
  round(): void;
  /** @param finished once no request is under way that leaves something to be written */
  stop(finished?: Promise<void>): Promise<void>;
} {
  unlessFull(platen, () => {
    storeBaseAddress(platen);
    storePrivateHosts(platen);
    makeSecrets(platen);
    deleteAbandonedCopies(platen);
    goOnRemoving(platen);
  });
  const client = guardedClient(platen.config, { keepsConnections: true });
  const webhooks = webhookLoop(platen, client, { lastRequestAt });
  const stop = async (finished?: Promise<void>) => {
    clearTimeout(beginning);
    clearInterval(eachSecond);
    clearInterval(olderExcerpts);
    store.stop();
    await Promise.all([finished, webhooks.stop(), purges.stop(), backups.stop(), jobs.stop()]);
    await tasks.stop();
  };
  const tasks = periodicTasks(platen);
  const backups = scheduledBackups(platen);
  const purges = pagePurges(platen, guardedClient(platen.config));
  const store = storeLoop(platen);
  const jobs = jobRunner(platen, JOB_KINDS);
  const beginning = setTimeout(() => {
    webhooks.look();
    indexMissingPosts(platen).catch((fault) => platen.log(`Posts could not be indexed: ${fault.message}`));
  }, BEGINS_AFTER);
  const olderExcerpts = setInterval(() => {
    unlessLocked(platen, () => {
      if (!makeOlderExcerpts(platen)) clearInterval(olderExcerpts);
    });
  }, EXCERPTS_EVERY);
  const round = rounds(platen, {
    regularly: [
      [1, () => goOnServing(platen)],
      [UPKEEP_EVERY, tasks.step],
      [UPKEEP_EVERY, backups.step],
    ],
    whenDue: [() => announceDue(platen), webhooks.look, jobs.step, purges.step, store.step],
  });
  const eachSecond = setInterval(round, ROUND);
  return { round, stop };
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
