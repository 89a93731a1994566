import { join } from "node:path";
import { HOUR } from "../../config/units";
import { writeVersion } from "../../database/change-counter";
import { replaceWithVerifiedCopy } from "../../database/verified-copy";
import type { Database, Platen } from "../../platen";
import { childTask } from "../../runtime/child-command";
import { modificationTime } from "../../runtime/files";

const SNAPSHOT_HOUR = 3;
const MIN_AGE_MS = 12 * HOUR;
const MAX_AGE_MS = 48 * HOUR;
const RETRY_MS = HOUR;

export function snapshotFile(folder: string): string {
  return join(folder, "snapshot.db");
}

export function makeSnapshot(db: Database, folder: string): void {
  replaceWithVerifiedCopy(db.$client, snapshotFile(folder));
}

interface SnapshotStatus {
  madeAt: Date | null;
  error: string | null;
}

const statuses = new WeakMap<Platen, SnapshotStatus>();

export function snapshotStatus(platen: Platen): SnapshotStatus | undefined {
  return statuses.get(platen);
}

/** Uses a child process, because reading a large database takes seconds. */
export function nightlySnapshots(platen: Platen) {
  const file = snapshotFile(platen.config.data);
  let fileTime = modificationTime(file);
  const status: SnapshotStatus = { madeAt: fileTime, error: null };
  statuses.set(platen, status);
  const { isRunning, mayStart, start, settled, stop } = childTask(platen);
  let lastVersion: string | null = null;
  const startedAt = platen.now();
  let notBefore = startedAt;

  const begin = () => {
    const at = platen.now();
    const isTooSoon = at < notBefore && notBefore.getTime() - at.getTime() <= RETRY_MS;
    if (!mayStart() || isTooSoon) return;
    const version = writeVersion(platen);
    start(["snapshot"], ({ code, stdout, stderr }) => {
      if (code === 0) {
        fileTime = modificationTime(file);
        Object.assign(status, { madeAt: at, error: null });
        lastVersion = version;
        return;
      }
      status.error = `${stdout}${stderr}`.trim();
      notBefore = new Date(platen.now().getTime() + RETRY_MS);
      platen.log(`The snapshot failed and will be retried in an hour. ${status.error}`);
    });
  };

  const noticeOtherSnapshot = (at: Date) => {
    const time = modificationTime(file);
    if (isRunning() || time === null || time.getTime() === fileTime?.getTime()) return;
    fileTime = time;
    Object.assign(status, { madeAt: at, error: null });
  };

  return {
    step(): void {
      const at = platen.now();
      noticeOtherSnapshot(at);
      if (!isTimeForSnapshot(at, status.madeAt ?? startedAt)) return;
      if (writeVersion(platen) !== lastVersion) begin();
    },
    /** If no snapshot was made since `time`, may start one. */
    hasOneSince(time: Date): boolean {
      if (status.madeAt !== null && status.madeAt >= time) return true;
      begin();
      return false;
    },
    ...{ settled, stop },
  };
}

/** @param last time of the last snapshot; if there is none, of the server's start */
export function isTimeForSnapshot(at: Date, last: Date): boolean {
  const age = at.getTime() - last.getTime();
  const wasClockSetBack = age < 0;
  const isOld = age >= MIN_AGE_MS || wasClockSetBack;
  return age >= MAX_AGE_MS || (isOld && at.getHours() === SNAPSHOT_HOUR);
}
