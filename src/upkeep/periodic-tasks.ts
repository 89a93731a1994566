import { keepKeyUses } from "../accounts/uses/key-use";
import { MINUTE } from "../config/units";
import { unlessLocked, waitForLock } from "../database/transactions";
import { WalKeeper } from "../database/wal/wal-keeper";
import { sizeKeeping } from "../media/store/rendition-cache";
import type { Platen } from "../platen";
import { keepAllViews, keepViews } from "../posts/statistics/view-counts";
import { foundDamage } from "./copies/damaged-database";
import { deletedFiles } from "./copies/media-removal-from-disk";
import { snapshots } from "./copies/nightly-snapshots";
import { DELETE_EXPIRED } from "./deleting-expired";
import { diskReserve } from "./reserve-file";

const DELETE_EXPIRED_EVERY = 60 * MINUTE;
/** Where a task has failed. */
const TRIED_AGAIN_AFTER = MINUTE;
/** Views counted and uses of keys noted since are lost when the power goes. */
const KEEP_VIEWS_EVERY = MINUTE;
/** Between the parts of a task, in milliseconds: others have most of the time. */
const BETWEEN_PARTS = 50;

/**
 * What a running server does for its data folder besides serving it. `step` is to be called every few seconds.
 */
export function periodicTasks(platen: Platen): { step(): void; stop(): Promise<void> } {
  const stopping = new AbortController();
  const inParts = (task: (platen: Platen) => unknown, rest = BETWEEN_PARTS) =>
    partByPart(platen, stopping.signal, task, rest);
  const copies = snapshots(platen);
  const wal = new WalKeeper(platen, { hasSnapshotSince: copies.hasOneSince });
  const reserve = diskReserve(platen);
  const sizes = sizeKeeping(platen);
  const deleted = deletedFiles(platen);
  const tasks = [
    ...[wal, copies, reserve, sizes, deleted].map((task) => () => attempt(platen, () => task.step())),
    ...DELETE_EXPIRED.map((task) => every(platen, DELETE_EXPIRED_EVERY, inParts(task))),
    every(platen, KEEP_VIEWS_EVERY, inParts(keepViews)),
    every(platen, KEEP_VIEWS_EVERY, keepKeyUses),
  ];
  return {
    step() {
      for (const task of tasks) task();
    },
    async stop() {
      stopping.abort();
      await waitForLock(platen);
      for (const task of [keepAllViews, keepKeyUses]) if (mayWrite(platen)) attempt(platen, task);
      await Promise.all([copies.stop(), wal.settled(), sizes.stop(), deleted.stop()]);
    },
  };
}

/** A task that says true goes on in turns of its own. @param rest between them, in milliseconds */
function partByPart(
  platen: Platen,
  stopping: AbortSignal,
  task: (platen: Platen) => unknown,
  rest: number,
): () => void {
  let isUnderWay = false;
  let isMore = false;
  const part = () => {
    isMore = task(platen) === true;
  };
  const goOn = async () => {
    isUnderWay = true;
    while (isMore) {
      await Bun.sleep(rest);
      isMore = false;
      if (!stopping.aborted && mayWrite(platen)) attempt(platen, part);
    }
    isUnderWay = false;
  };
  return () => {
    if (isUnderWay) return;
    part();
    if (isMore) void goOn();
  };
}

const mayWrite = (platen: Platen) => foundDamage(platen) === null;

/**
 * A task that fails goes to the log, and the others are done all the same; one that another process keeps from writing waits.
 * @returns whether it was done
 */
function attempt(platen: Platen, task: (platen: Platen) => void): boolean {
  try {
    return unlessLocked(platen, () => task(platen));
  } catch (fault) {
    tellFault(platen, fault);
    return false;
  }
}

function tellFault(platen: Platen, fault: unknown): void {
  platen.log(`Upkeep failed, and is tried again: ${fault instanceof Error ? fault.message : fault}`);
}

/** @param interval in milliseconds */
function every(platen: Platen, interval: number, task: (platen: Platen) => void): () => void {
  let dueAt = platen.now().getTime();
  return () => {
    if (!mayWrite(platen)) return;
    const now = platen.now().getTime();
    const wasClockSetBack = dueAt > now + interval;
    if (now < dueAt && !wasClockSetBack) return;
    dueAt = now + (attempt(platen, task) ? interval : TRIED_AGAIN_AFTER);
  };
}
