import { accessSync, constants, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Account } from "../../accounts/accounts";
import { recordAuditEvent } from "../../accounts/audit-log";
import { type BackupSchedule, parseBackupPlace, parseKeptBackups } from "../../config/backup-settings";
import { durationText, parseDuration } from "../../config/units";
import { deleteSetting, getSetting, saveSetting } from "../../database/instance-settings";
import { assertNoFieldErrors, type FieldErrors } from "../../errors";
import type { Platen } from "../../platen";
import { giveOwnerAndMode } from "../../runtime/files";
import { isInDataFolder } from "./backup-places";

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
