import type { BackupSchedule } from "../../config/backup-settings";
import { HOUR } from "../../config/units";
import type { Platen } from "../../platen";
import { type ChildCommand, startChildCommand } from "../../runtime/child-command";
import { readLastBackup } from "./last-backup";

const AFTER_FAULT = HOUR;

interface ScheduledBackups {
  /** Begins one where it is time. */
  step(): void;
  /** Once none is under way. */
  settled(): Promise<void>;
  /** Ends the one that is under way. */
  stop(): Promise<void>;
}

/** Platen → why its last scheduled backup was not made. */
const faults = new WeakMap<Platen, string>();

/** Has backups made as the settings say, in a process of its own. */
export function scheduledBackups(platen: Platen): ScheduledBackups {
  const { backup } = platen.config;
  let running: ChildCommand | null = null;
  let settled = Promise.resolve();
  let pause = { from: platen.now(), length: 0 };
  let isStopping = false;

  const begin = ({ to, every, keep }: BackupSchedule, from: Date) => {
    running = startChildCommand(platen, ["backup", to, "--keep", keep]);
    settled = running.ended.then(({ code, stderr }) => {
      running = null;
      if (isStopping) return;
      if (stderr !== "") platen.log(stderr);
      if (code === 0) faults.delete(platen);
      else faults.set(platen, stderr);
      pause = code === 0 ? { from, length: every } : { from: platen.now(), length: AFTER_FAULT };
      if (code !== 0) platen.log("The backup is tried again in an hour.");
    });
  };
  return {
    step() {
      if (!backup || running || isStopping) return;
      const at = platen.now();
      if (isWithin(at, pause.from, pause.length) || isDone(platen, at, backup)) return;
      begin(backup, at);
    },
    settled: () => settled,
    async stop() {
      isStopping = true;
      running?.end();
      await settled;
    },
  };
}

function isDone({ config }: Platen, at: Date, { to, every }: BackupSchedule): boolean {
  const last = readLastBackup(config.data);
  return last !== null && last.place === to && isWithin(at, last.at, every);
}

/** A clock that was set back by more than so long holds nothing up. */
function isWithin(at: Date, since: Date, length: number): boolean {
  return Math.abs(at.getTime() - since.getTime()) < length;
}

/** How the backups of the data folder do, in lines for the operator: `name: what`. */
export function backupStatus(platen: Platen): string[] {
  const last = readLastBackup(platen.config.data);
  const fault = faults.get(platen);
  if (last === null && platen.config.backup === null) return [];
  return [
    last
      ? `backup: ${ageOf(last.at, platen.now())} old (${last.at.toISOString()}, ${last.place})`
      : "backup: none yet",
    ...(fault === undefined ? [] : [`backup failed: ${fault}`]),
  ];
}

function ageOf(then: Date, now: Date): string {
  const hours = Math.max(0, Math.floor((now.getTime() - then.getTime()) / HOUR));
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
