import { SQLiteError } from "bun:sqlite";
import { parseBackupPlace, parseKeptBackups } from "../../config/backup-settings";
import { readSettings } from "../../config/config";
import { lockForBackup } from "../../database/folder-locks";
import { asDiskFull, DatabaseError } from "../../errors";
import { mediaStore } from "../../media/store/media-store";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import { isInDataFolder, openBackupStore } from "../../upkeep/backup/backup-places";
import { deleteOldBackups } from "../../upkeep/backup/backup-retention";
import { BackupError, type BackupStore, backupAddress } from "../../upkeep/backup/backup-store";
import { saveLastBackup } from "../../upkeep/backup/last-backup";
import { type MadeBackup, makeBackup } from "../../upkeep/backup/make-backup";
import { summarizeFindings } from "../../upkeep/check/check-findings";
import { baseAddress } from "../shell/base-address";
import { command } from "../shell/command";
import { ArgumentFault, CommandFault } from "../shell/command-faults";
import { openUnchanged, platenOn } from "../shell/data-folder";
import { print, showProgress } from "../shell/printing";
import { reasonOf } from "../shell/system-faults";

/** Also what a server starts to make the backups of its schedule. */
export default command(
  {
    does: "make a backup of the data folder, also while it is served, and look through it",
    operand: { name: "DEST", isNeeded: true },
    options: {
      keep: {
        type: "string",
        value: "7d,4w,12m",
        does: "delete other backups in DEST than the newest of so many days, weeks and months",
      },
    },
  },
  async ({ operand, values }) => {
    const place = parseBackupPlace(operand);
    if (place === null) throw new ArgumentFault(`"${operand}" is neither a folder nor s3://bucket/prefix`);
    const keep = values.keep === undefined ? null : parseKeptBackups(values.keep);
    if (values.keep !== undefined && keep === null)
      throw new ArgumentFault(`"${values.keep}" is nothing like 7d,4w,12m`);
    const settings = readSettings(values, process.env);
    const db = openUnchanged(settings.data);
    if (isInDataFolder(place, settings.data))
      throw new CommandFault(
        `${place} lies in the data folder, which is backed up there; name another folder, on another disk at best.`,
      );
    const platen = platenOn({ ...settings, url: baseAddress(settings.host, settings.port) }, db);
    lockForBackup(settings.data);
    try {
      const store = openBackupStore(place, settings.data);
      const made = await makeBackup(platen, store, showProgress("Copying"));
      remember(platen, store, made);
      await report(platen, store, made);
      if (keep) await deleteOldBackups(store, keep);
    } catch (fault) {
      if (asDiskFull(fault)) throw fullDiskOf(place, settings.data);
      const isOfDatabase = fault instanceof SQLiteError || fault instanceof DatabaseError;
      if (!isOfDatabase || fault instanceof BackupError) throw fault;
      throw new CommandFault(`No backup was made: ${reasonOf(fault).replace(/\.$/, "")}.`);
    } finally {
      db.$client.close(false);
    }
  },
);

/** A backup in a folder writes there alone; one in a bucket keeps the database's copy in the data folder until it is sent. */
function fullDiskOf(place: string, data: string): CommandFault {
  const full = place.startsWith("s3://") ? data : place;
  return new CommandFault(
    `The disk that ${full} is on is full: no backup was made. Free some space there, then try again.`,
  );
}

/** A data folder that cannot be written to, on a full disk for instance, has its backup all the same. */
function remember(platen: Platen, { place }: BackupStore, { at }: MadeBackup): void {
  try {
    saveLastBackup(platen, { at, place });
  } catch (fault) {
    platen.log(`Warning: /readyz?full will not tell of this backup: ${reasonOf(fault)}.`);
  }
}

async function report(platen: Platen, store: BackupStore, { name, ...made }: MadeBackup): Promise<void> {
  for (const remark of summarizeFindings(made.remarks)) platen.log(`Warning: ${remark}`);
  const address = backupAddress(store, name);
  if (made.atStore > 0)
    platen.log(
      `${counted(made.atStore, "upload")} at ${mediaStore(platen)?.address} ${made.atStore === 1 ? "is" : "are"} not in it: that bucket needs versions of its own.`,
    );
  await print(`${address} holds ${counted(made.files, "file")} of media, ${made.added} of them new there.`);
}
