import { readSettings } from "../config/config";
import { counted } from "../text/numbers";
import { findBackup } from "../upkeep/backup/backup-places";
import { backupAddress } from "../upkeep/backup/backup-store";
import { restoreBackup } from "../upkeep/backup/restore-backup";
import { command } from "./shell/command";
import { explainDiskFull } from "./shell/command-errors";
import { print, showFileProgress } from "./shell/printing";
import { parsePlace } from "./shell/usage";

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
    await print(`Restored ${data} from ${backupAddress(store, name)}: ${counted(files, "media file")}.`);
  },
);
