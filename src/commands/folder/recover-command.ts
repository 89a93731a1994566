import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSettings } from "../../config/config";
import { lockForServing } from "../../database/folder-locks";
import { findDamageInFile } from "../../database/verified-copy";
import { clearDamageMark } from "../../upkeep/recovery/damaged-database";
import {
  countLoss,
  describeLoss,
  replaceDatabase,
  timeOfDatabaseCopy,
} from "../../upkeep/recovery/database-replacement";
import { snapshotFile } from "../../upkeep/recovery/snapshots";
import { command } from "../shell/command";
import { CommandFault, unconfirmed } from "../shell/command-faults";
import { accessFault, demandDatabase } from "../shell/file-faults";
import { momentText, print } from "../shell/printing";

/** For a database that is torn or damaged. Says what is lost before it does anything. */
export default command(
  {
    does: "put snapshot.db in the place of a damaged database, whose files are kept",
    options: { yes: { type: "boolean", does: "do it; without this it only says what the snapshot lacks" } },
  },
  async ({ values }) => {
    const { data } = readSettings({ data: values.data }, process.env);
    const noAccess = accessFault(data);
    if (noAccess !== null) throw new CommandFault(noAccess);
    // A database that is lost is put back too.
    if (!existsSync(snapshotFile(data))) demandDatabase(data);
    const file = join(data, "platen.db");
    lockForServing(data);
    const damage = findDamageInFile(file);
    if (damage === null) {
      clearDamageMark(data);
      await print("The database is whole; there is nothing to recover.");
      return 0;
    }
    const madeAt = timeOfDatabaseCopy(snapshotFile(data));
    const offer = madeAt && findDamageInFile(snapshotFile(data)) === null;
    if (!offer)
      throw new CommandFault(
        `The database is damaged (${damage}), and there is no whole snapshot.db beside it. Put a copy of the folder in its place.`,
      );
    const loss = `The database is damaged (${damage}). The snapshot of ${momentText(madeAt)} ${describeLoss(countLoss(data, snapshotFile(data)))}`;
    const folder = values.data === undefined ? "" : ` --data ${values.data}`;
    if (!values.yes) throw unconfirmed(loss, "platen recover", values.data);
    await print(`${loss}.`);
    await print(
      `It is in place now; the damaged files are in ${replaceDatabase(data, snapshotFile(data), "torn", new Date())}`,
    );
    await print(`Which uploads are not in it says: platen check${folder}`);
    return 0;
  },
);
