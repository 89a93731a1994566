import { parseBackupPlace } from "../config/backup-settings";
import { readSettings } from "../config/config";
import { counted } from "../text/numbers";
import { findBackup } from "../upkeep/backup/backup-places";
import { backupAddress } from "../upkeep/backup/backup-store";
import { restoreBackup } from "../upkeep/backup/restore-backup";
import { command } from "./shell/command";
import { ArgumentError, CommandError, isDiskFull } from "./shell/command-errors";
import { print, showFileProgress } from "./shell/printing";

export const restore = command(
  {
    help: "restore a backup, or the newest in SOURCE, to --data",
    operands: ["SOURCE"],
  },
  async ({ operands: [source], values }) => {
    const place = parseBackupPlace(source);
    if (place === null) throw new ArgumentError(`"${source}" is neither a folder nor s3://bucket/prefix`);
    const { data } = readSettings(values, process.env);
    const { store, name } = await findBackup(place, data);
    const files = await restoreBackup(store, name, data, showFileProgress("Restoring")).catch((error) => {
      throw isDiskFull(error) ? explainFullDisk(data) : error;
    });
    await print(`Restored ${data} from ${backupAddress(store, name)}: ${counted(files, "media file")}.`);
  },
);

function explainFullDisk(data: string): CommandError {
  return new CommandError(
    `The disk of ${data} is full: nothing was restored. Free some space there, then try again.`,
  );
}
