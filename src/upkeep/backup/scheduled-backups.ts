import type { BackupSchedule } from "../../config/backup-settings";
import { HOUR } from "../../config/units";
import { listUnfinishedJobs } from "../../jobs/stored-jobs";
import type { Platen } from "../../platen";
import { childTask } from "../../runtime/child-command";
import { namesIn } from "../../runtime/files";
import { BACKUP_JOB, backupSchedule, type LastBackup, readLastBackup } from "./schedule-and-last-backup";

const RETRY_MS = HOUR;

const backupErrors = new WeakMap<Platen, string>();

export function scheduledBackups(platen: Platen) {
  const { mayStart, start, settled, stop } = childTask(platen);
  let pause = { from: platen.now(), length: 0 };
  let previous: BackupSchedule | null = null;

  const fail = (error: string) => {
    if (error !== "") platen.log(error);
    backupErrors.set(platen, error);
    pause = { from: platen.now(), length: RETRY_MS };
    platen.log("The backup will be retried in an hour.");
  };
  const begin = ({ to, every, keep }: BackupSchedule, from: Date) => {
    start(["backup", to, "--keep", keep], ({ code, stderr }) => {
      if (code !== 0) return fail(stderr);
      if (stderr !== "") platen.log(stderr);
      backupErrors.delete(platen);
      pause = { from, length: every };
    });
  };
  return {
    step(): void {
      if (!mayStart()) return;
      const backup = backupSchedule(platen);
      if (!backup) return;
      const at = platen.now();
      // A changed schedule does not wait for the previous interval or retry.
      if (!Bun.deepEquals(backup, previous)) pause = { from: at, length: 0 };
      previous = backup;
      const last = readLastBackup(platen.config.data);
      const isDone = last?.place === backup.to && isWithin(at, last.at, backup.every);
      if (isDone || isWithin(at, pause.from, pause.length)) return;
      // Two backups at once would let one of them fail.
      if (listUnfinishedJobs(platen).some(({ kind }) => kind === BACKUP_JOB)) return;
      const missing = missingFolderError(backup.to, last);
      if (missing === null) begin(backup, at);
      else fail(missing);
    },
    ...{ settled, stop },
  };
}

/** If the disk is not mounted, a new folder would be on the disk of the data folder. */
function missingFolderError(to: string, last: LastBackup | null): string | null {
  if (last?.place !== to || to.startsWith("s3://") || namesIn(to).length > 0) return null;
  return `No backup was made: ${to} is missing or empty, but the last backup was made there. Mount its disk, or run: platen backup ${to}`;
}

/** False also if the clock was set back by more than `length`. */
function isWithin(at: Date, since: Date, length: number): boolean {
  return Math.abs(at.getTime() - since.getTime()) < length;
}

export function backupStatus(platen: Platen): string[] {
  const last = readLastBackup(platen.config.data);
  const error = backupErrors.get(platen);
  if (last === null && backupSchedule(platen) === null) return [];
  return [
    last
      ? `backup: ${ageOf(last.at, platen.now())} old (${last.at.toISOString()}, ${last.place})`
      : "backup: none yet",
    ...(error === undefined ? [] : [`backup failed: ${error}`]),
  ];
}

function ageOf(then: Date, now: Date): string {
  const hours = Math.max(0, Math.floor((now.getTime() - then.getTime()) / HOUR));
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}
