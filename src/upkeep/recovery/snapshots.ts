import { statSync } from "node:fs";
import { join } from "node:path";
import { HOUR } from "../../config/units";
import { writeVersion } from "../../database/data-version";
import { replaceWithVerifiedCopy } from "../../database/verified-copy";
import type { Database, Platen } from "../../platen";
import { type ChildCommand, startChildCommand } from "../../runtime/child-command";

/** The hour of the day in which one is made, local time. */
const AT_NIGHT = 3;
/** So that there is one a night. */
const NOT_AGAIN_WITHIN = 12 * HOUR;
/** Where the server is never running at night. */
const AT_ANY_HOUR_AFTER = 48 * HOUR;
const AFTER_FAULT = HOUR;

export interface Snapshots {
  /** Begins one where it is time. */
  step(): void;
  /** Is there one that was started since? Starts one if not, unless one is running. */
  hasOneSince(time: Date): boolean;
  /** Once none is under way. */
  settled(): Promise<void>;
  /** Ends the one that is under way. */
  stop(): Promise<void>;
}

interface SnapshotState {
  /** When the last one was begun that was finished. */
  madeAt: Date | null;
  /** Why the last one was not made. */
  fault: string | null;
}

const states = new WeakMap<Platen, SnapshotState>();

export function snapshotStatus(platen: Platen): SnapshotState | undefined {
  return states.get(platen);
}

/** Has a snapshot made each night, in a process of its own: reading a large database takes seconds. */
export function nightlySnapshots(platen: Platen): Snapshots {
  const file = snapshotFile(platen.config.data);
  let seen = timeOf(file);
  const state: SnapshotState = { madeAt: seen, fault: null };
  states.set(platen, state);
  let running: ChildCommand | null = null;
  let settled = Promise.resolve();
  let versionMade: string | null = null;
  const startedAt = platen.now();
  let notBefore = startedAt;
  let isStopping = false;

  const begin = () => {
    const at = platen.now();
    const isTooSoon = at < notBefore && notBefore.getTime() - at.getTime() <= AFTER_FAULT;
    if (running !== null || isStopping || isTooSoon) return;
    const version = writeVersion(platen);
    running = startChildCommand(platen, ["snapshot"]);
    settled = running.ended.then(({ code, said }) => {
      running = null;
      if (code === 0) {
        seen = timeOf(file);
        Object.assign(state, { madeAt: at, fault: null });
        versionMade = version;
        return;
      }
      if (isStopping) return;
      state.fault = said;
      notBefore = new Date(platen.now().getTime() + AFTER_FAULT);
      platen.log(`No snapshot was made; it is tried again in an hour. ${said}`);
    });
  };

  /** `platen snapshot`, typed while the server runs. */
  const noticeOthers = (at: Date) => {
    const time = timeOf(file);
    if (running !== null || time === null || time.getTime() === seen?.getTime()) return;
    seen = time;
    Object.assign(state, { madeAt: at, fault: null });
  };

  return {
    step() {
      const at = platen.now();
      noticeOthers(at);
      if (!isTimeForSnapshot(at, state.madeAt ?? startedAt)) return;
      if (writeVersion(platen) === versionMade) return;
      begin();
    },
    hasOneSince(time) {
      if (state.madeAt !== null && state.madeAt >= time) return true;
      begin();
      return false;
    },
    settled: () => settled,
    async stop() {
      isStopping = true;
      running?.end();
      await settled;
    },
  };
}

/** @param last when the last one was made, or the server started without one */
export function isTimeForSnapshot(at: Date, last: Date): boolean {
  const age = at.getTime() - last.getTime();
  const wasClockSetBack = age < 0;
  const isAgain = age < NOT_AGAIN_WITHIN && !wasClockSetBack;
  return age >= AT_ANY_HOUR_AFTER || (!isAgain && at.getHours() === AT_NIGHT);
}

function timeOf(path: string): Date | null {
  return statSync(path, { throwIfNoEntry: false })?.mtime ?? null;
}

/** The database as it was at one moment, whole, in one file. */
export function snapshotFile(folder: string): string {
  return join(folder, "snapshot.db");
}

/** @throws DatabaseFault where the database, or what was written, is damaged */
export function makeSnapshot(db: Database, folder: string): void {
  replaceWithVerifiedCopy(db.$client, snapshotFile(folder));
}
