import { readSettings } from "../../config/config";
import { lockForSnapshot } from "../../database/folder-locks";
import { makeSnapshot, snapshotFile } from "../../upkeep/recovery/snapshots";
import { command } from "../shell/command";
import { CommandFault } from "../shell/command-faults";
import { openUnchanged } from "../shell/data-folder";
import { print } from "../shell/printing";
import { reasonOf } from "../shell/system-faults";

/** The server makes one each night; this makes one now. */
export default command(
  { does: "write the database as it is now to snapshot.db in the folder, in one file" },
  async ({ values }) => {
    const { data } = readSettings(values, process.env);
    const db = openUnchanged(data);
    try {
      const letOthers = await lockForSnapshot(data);
      makeSnapshot(db, data);
      letOthers();
    } catch (fault) {
      throw new CommandFault(`snapshot.db was not written: ${reasonOf(fault)}.`);
    } finally {
      db.$client.close(false);
    }
    await print(snapshotFile(data));
  },
);
