import { and, gt, inArray, isNotNull, isNull } from "drizzle-orm";
import { type Account, accountById, listAccounts } from "../accounts/accounts";
import { blogById } from "../blogs/blogs";
import { MEGABYTE } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { getSetting, saveSetting } from "../database/instance-settings";
import { receivers } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { freeDiskBytes, totalDiskBytes } from "../runtime/disk-space";
import { backupStatus } from "../upkeep/backup/scheduled-backups";
import { type NoticeName, recordNotice } from "./notices";

/** Less free space than this, or than a twentieth of a small disk, is reported. */
const LOW_DISK_BYTES = 500 * MEGABYTE;
const LOW_DISK_SHARE = 0.05;

const STATE = "notices: problems";

interface Problems {
  /** Time of the last check in milliseconds since 1970. */
  at: number;
  hasBackupFailed: boolean;
  isDiskLow: boolean;
}

/** Checks for new problems once per interval. Reports each problem when it begins. */
export function collectProblemNotices(platen: Platen, interval: number): void {
  const at = platen.now().getTime();
  const stored = getSetting(platen, STATE);
  const before: Problems =
    stored === undefined ? { at, hasBackupFailed: false, isDiskLow: false } : JSON.parse(stored);
  if (stored !== undefined && Math.abs(at - before.at) < interval) return;
  const backup = backupStatus(platen).find((line) => line.startsWith("backup failed: "));
  const free = freeDiskBytes(platen.config.data);
  const isDiskLow = free < Math.min(LOW_DISK_BYTES, totalDiskBytes(platen.config.data) * LOW_DISK_SHARE);
  keepDataVersion(platen, () =>
    inTransaction(platen, () => {
      reportReceivers(platen, new Date(before.at));
      if (backup && !before.hasBackupFailed)
        tellAdmins(platen, "backup failed", backup.slice("backup failed: ".length));
      if (isDiskLow && !before.isDiskLow)
        tellAdmins(
          platen,
          "disk nearly full",
          `${Math.floor(free / MEGABYTE)} MB are free on the disk of ${platen.config.data}.`,
        );
      saveSetting(platen, STATE, JSON.stringify({ at, hasBackupFailed: backup !== undefined, isDiskLow }));
    }),
  );
}

function reportReceivers(platen: Platen, since: Date): void {
  const isNew = and(
    inArray(receivers.channel, ["webhook", "bluesky", "mastodon"]),
    isNull(receivers.removedAt),
    gt(receivers.disabledAt, since),
    isNotNull(receivers.disabledBecause),
  );
  for (const { channel, blogId, url, disabledBecause } of platen.db
    .select()
    .from(receivers)
    .where(isNew)
    .all()) {
    const owner = accountById(platen, blogById(platen, blogId as number)?.accountId ?? 0);
    const name = channel === "webhook" ? "webhook turned off" : "copies stopped";
    if (owner) recordNotice(platen, owner, name, { about: `${url}: ${disabledBecause}` });
  }
}

function tellAdmins(platen: Platen, name: NoticeName, about: string): void {
  const isAdmin = (account: Account) => account.isAdmin && !account.disabledAt;
  for (const account of listAccounts(platen).filter(isAdmin)) recordNotice(platen, account, name, { about });
}
