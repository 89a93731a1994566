import { parseBackupPlace } from "../../config/backup-settings";
import { readSettings } from "../../config/config";
import { counted } from "../../text/numbers";
import { findBackup } from "../../upkeep/backup/backup-places";
import { backupAddress } from "../../upkeep/backup/backup-store";
import { restoreBackup } from "../../upkeep/backup/restore-backup";
import { command } from "../shell/command";
import { ArgumentFault, CommandFault, isNoRoom } from "../shell/command-faults";
import { print, showProgress } from "../shell/printing";

export default command(
  {
    does: "make a data folder of a backup, or of the newest in SOURCE; it must be empty or not there",
    operand: { name: "SOURCE", isNeeded: true },
  },
  async ({ operand, values }) => {
    const place = parseBackupPlace(operand);
    if (place === null) throw new ArgumentFault(`"${operand}" is neither a folder nor s3://bucket/prefix`);
    const { data } = readSettings(values, process.env);
    const { store, name } = await findBackup(place, data);
    const files = await restoreBackup(store, name, data, showProgress("Restoring")).catch((fault) => {
      throw isNoRoom(fault) ? diskFull(data) : fault;
    });
    await print(
      `${data} is as it was in ${backupAddress(store, name)}, with ${counted(files, "file")} of media.`,
    );
  },
);

function diskFull(data: string): CommandFault {
  return new CommandFault(
    `The disk that ${data} is on is full: nothing was restored. Free some space there, then try again.`,
  );
}
