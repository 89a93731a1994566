import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readSettings } from "../../config/config";
import { lockForServing } from "../../database/folder-locks";
import { isCopyBeforeMigration } from "../../database/migrate";
import { findDamageInFile } from "../../database/verified-copy";
import {
  countLoss,
  describeLoss,
  replaceDatabase,
  timeOfDatabaseCopy,
} from "../../upkeep/recovery/database-replacement";
import { command } from "../shell/command";
import { CommandFault, unconfirmed } from "../shell/command-faults";
import { demandDatabase } from "../shell/file-faults";
import { momentText, print } from "../shell/printing";

/** For going back to the Platen of before. Says what is lost before it does anything. */
export default command(
  {
    does: "put back the database as it was before a new version brought it up to date",
    options: { yes: { type: "boolean", does: "do it; without this it only says what would be lost" } },
  },
  async ({ values }) => {
    const { data } = readSettings({ data: values.data }, process.env);
    demandDatabase(data);
    lockForServing(data);
    const name = readdirSync(data).filter(isCopyBeforeMigration).sort().at(-1);
    if (!name)
      throw new CommandFault("No version has changed this database yet: there is nothing to go back to.");
    const older = join(data, name);
    const damage = findDamageInFile(older);
    if (damage !== null) throw new CommandFault(`${older} is damaged (${damage}): it cannot be put back.`);
    const loss = `${name}, of ${momentText(timeOfDatabaseCopy(older) as Date)}, ${describeLoss(countLoss(data, older))}`;
    if (!values.yes) throw unconfirmed(loss, "platen rollback", values.data);
    await print(`${loss}.`);
    await print(
      `It is in place now; the files of before are in ${replaceDatabase(data, older, "rolled-back", new Date())}`,
    );
    await print("Start the older Platen next: this one would bring the database up to date again.");
    return 0;
  },
);
