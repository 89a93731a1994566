import { SQLiteError } from "bun:sqlite";
import { type KeptBackups, parseKeptBackups, readSettings } from "../config/config";
import { lockForBackup } from "../database/folder-locks";
import { asDiskFull, DatabaseError } from "../errors";
import { mediaStore } from "../media/files/media-store";
import type { Platen } from "../platen";
import { counted } from "../text/numbers";
import { BackupError, type BackupStore, backupAddress } from "../upkeep/backup/backup-contents";
import { deleteOldBackups } from "../upkeep/backup/backup-retention";
import { isInDataFolder, saveLastBackup } from "../upkeep/backup/backup-schedule";
import { openBackupStore } from "../upkeep/backup/folder-and-s3-backups";
import { type MadeBackup, makeBackup } from "../upkeep/backup/make-backup";
import { findBackup, restoreBackup } from "../upkeep/backup/restore-backup";
import { summarizeFindings } from "../upkeep/check/database-check";
import { command, readOnlyCommand } from "./shell/command";
import { ArgumentError, CommandError, explainDiskFull, explainSystemError } from "./shell/command-errors";
import { print, showFileProgress } from "./shell/terminal";
import { parsed, parsePlace } from "./shell/usage";

/** The server also runs this command. */
export const backup = readOnlyCommand(
  {
    help: "back up the data folder and verify the copy",
    operands: [{ name: "DEST", parse: parsePlace }],
    options: {
      keep: parsed("7d,4w,12m", "daily, weekly and monthly backups to keep [all]", parseKeep),
    },
  },
  async (platen, { operands: [place], values: { keep } }) => {
    const { data } = platen.config;
    if (isInDataFolder(place, data))
      throw new CommandError(
        `${place} is inside the data folder; choose another folder, on another disk if possible.`,
      );
    lockForBackup(data);
    try {
      const store = openBackupStore(place, data);
      const result = await makeBackup(platen, store, showFileProgress("Copying"));
      recordBackup(platen, store, result);
      await reportBackup(platen, store, result);
      if (keep) await deleteOldBackups(store, keep, result.name);
    } catch (error) {
      // A backup to a bucket first copies the database into the data folder.
      const full = place.startsWith("s3://") ? data : place;
      if (asDiskFull(error))
        throw new CommandError(
          `The disk of ${full} is full: no backup was made. Free some space there, then try again.`,
        );
      const isDatabaseError = error instanceof SQLiteError || error instanceof DatabaseError;
      if (!isDatabaseError || error instanceof BackupError) throw error;
      throw new CommandError(`No backup was made: ${explainSystemError(error).replace(/\.$/, "")}.`);
    }
  },
);

function parseKeep(text: string, name: string): KeptBackups {
  const keep = parseKeptBackups(text);
  if (keep === null) throw new ArgumentError(`${name} is "${text}"; it must be like 7d,4w,12m`);
  return keep;
}

/** An error is only a warning, because a data folder on a full disk can still be backed up. */
function recordBackup(platen: Platen, { place }: BackupStore, { at }: MadeBackup): void {
  try {
    saveLastBackup(platen, { at, place });
  } catch (error) {
    platen.log(`Warning: /readyz?full will not show this backup: ${explainSystemError(error)}.`);
  }
}

async function reportBackup(platen: Platen, store: BackupStore, { name, ...result }: MadeBackup) {
  for (const remark of summarizeFindings(result.remarks)) platen.log(`Warning: ${remark}`);
  if (result.atStore > 0)
    platen.log(
      `${counted(result.atStore, "upload")} at ${mediaStore(platen)?.address} ${result.atStore === 1 ? "is" : "are"} not in the backup: turn on versioning for that bucket.`,
    );
  await print(
    `${backupAddress(store, name)} contains ${counted(result.files, "media file")}, ${result.added} of them new.`,
  );
}

export const restore = command(
  {
    help: "restore a backup, or the newest in SOURCE, to --data",
    operands: [{ name: "SOURCE", parse: parsePlace }],
  },
  async ({ operands: [place], values }) => {
    const { data } = readSettings(values, process.env);
    const { store, name } = await findBackup(place, data);
    const files = await restoreBackup(store, name, data, showFileProgress("Restoring")).catch(
      explainDiskFull(
        `The disk of ${data} is full: nothing was restored. Free some space there, then try again.`,
      ),
    );
    return `Restored ${data} from ${backupAddress(store, name)}: ${counted(files, "media file")}.`;
  },
);
