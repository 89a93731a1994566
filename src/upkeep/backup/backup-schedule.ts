import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { Account } from "../../accounts/accounts";
import { recordAuditEvent } from "../../accounts/audit-log";
import { type BackupSchedule, parseBackupPlace, parseKeptBackups } from "../../config/config";
import { durationText, HOUR, parseDuration } from "../../config/units";
import { deleteSetting, getSetting, saveSetting } from "../../database/instance-settings";
import { assertNoFieldErrors, type FieldErrors } from "../../errors";
import { listUnfinishedJobs } from "../../jobs/jobs";
import type { Platen } from "../../platen";
import { childTask } from "../../runtime/child-command";
import { giveOwnerAndMode, namesIn } from "../../runtime/files";

const SETTING = "backup";

/** Name of the job that makes a backup when an admin asks for one. */
export const BACKUP_JOB = "backup";

/** PLATEN_BACKUP takes priority over the stored setting; null if backups are off. */
export function backupSchedule(platen: Platen): BackupSchedule | null {
  if (platen.config.backup) return platen.config.backup;
  const stored = getSetting(platen, SETTING);
  return stored === undefined ? null : (JSON.parse(stored) as BackupSchedule);
}

/** For example `to` "/mnt/usb/platen" or "s3://bucket/blog", `every` "1d", `keep` "7d,4w,12m". */
export interface BackupInput {
  to: string;
  every: string;
  keep: string;
}

/** An empty destination turns backups off. @throws Refusal (invalid) for `to`, `every` or `keep` */
export function setBackupSchedule(platen: Platen, account: Account, { to, every, keep }: BackupInput): void {
  if (to === "") {
    deleteSetting(platen, SETTING);
    recordAuditEvent(platen, "changed backups", { account, about: "off" });
    return;
  }
  const errors: FieldErrors = {};
  const wrong = destinationError(platen, to);
  if (wrong) errors.to = [wrong];
  const interval = parseDuration(every);
  if (interval === null) errors.every = ["must be a duration like 1d or 6h"];
  if (parseKeptBackups(keep) === null)
    errors.keep = ["must be numbers of days, weeks and months like 7d,4w,12m"];
  assertNoFieldErrors(errors);
  const schedule = { to: parseBackupPlace(to), every: interval, keep };
  saveSetting(platen, SETTING, JSON.stringify(schedule));
  recordAuditEvent(platen, "changed backups", {
    account,
    about: `${to}, every ${durationText(interval as number)}`,
  });
}

function destinationError({ config }: Platen, to: string): string | null {
  const place = parseBackupPlace(to);
  if (place === null) return "must be a folder like /mnt/usb/platen or s3://bucket/prefix";
  if (place.startsWith("s3://")) return null;
  if (!isAbsolute(to)) return "must be an absolute path like /mnt/usb/platen";
  try {
    if (isInDataFolder(place, config.data)) return "must be outside the data folder";
    mkdirSync(place, { recursive: true, mode: 0o700 });
    accessSync(place, constants.W_OK);
    return null;
  } catch (error) {
    return `must be a folder that the server can write to (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** A backup in the data folder would be lost with the folder. Symlinks are followed. */
export function isInDataFolder(place: string, data: string): boolean {
  if (place.startsWith("s3://")) return false;
  const { dev, ino } = statSync(data);
  for (let path = realPath(place); ; path = dirname(path)) {
    const folder = statSync(path, { throwIfNoEntry: false });
    if (folder?.dev === dev && folder.ino === ino) return true;
    if (path === dirname(path)) return false;
  }
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realPath(dirname(path)), basename(path));
}

export interface LastBackup {
  at: Date;
  place: string;
}

export function readLastBackup(data: string): LastBackup | null {
  try {
    const { at, place } = JSON.parse(readFileSync(fileIn(data), "utf8"));
    return { at: new Date(Date.parse(at) || 0), place };
  } catch {
    return null;
  }
}

/** A file, because `platen backup` opens the database read-only. */
export function saveLastBackup({ config: { data } }: Platen, last: LastBackup): void {
  const unfinished = `${fileIn(data)}.new`;
  writeFileSync(unfinished, JSON.stringify(last));
  giveOwnerAndMode(data, unfinished, 0o600);
  renameSync(unfinished, fileIn(data));
}

const fileIn = (data: string) => join(data, ".last-backup");

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
