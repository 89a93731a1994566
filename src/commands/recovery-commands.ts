import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readSettings } from "../config/config";
import { lockForServing, lockForSnapshot } from "../database/folder-locks";
import { isCopyBeforeMigration } from "../database/migrate";
import { findDamageInFile } from "../database/verified-copy";
import { modificationTime } from "../runtime/files";
import { clearDamageMark } from "../upkeep/recovery/damaged-database";
import { countLoss, describeLoss, replaceDatabase } from "../upkeep/recovery/database-replacement";
import { makeSnapshot, snapshotFile } from "../upkeep/recovery/snapshots";
import { command, readOnlyCommand } from "./shell/command";
import { CommandError, explainSystemError, unconfirmed } from "./shell/command-errors";
import { assertDatabaseExists, explainNoAccess } from "./shell/data-folder";
import { formatMoment, print } from "./shell/terminal";
import { yes } from "./shell/usage";

/** The server also runs this command. */
export const snapshot = readOnlyCommand(
  { help: "write the database to snapshot.db in the data folder" },
  async ({ db, config: { data } }) => {
    try {
      const unlock = await lockForSnapshot(data);
      makeSnapshot(db, data);
      unlock();
    } catch (error) {
      throw new CommandError(`snapshot.db was not written: ${explainSystemError(error)}.`);
    }
    return snapshotFile(data);
  },
);

export const recover = command(
  { help: "replace a damaged database with snapshot.db", options: { yes } },
  async ({ values }) => {
    const { data } = readSettings({ data: values.data }, process.env);
    const noAccess = explainNoAccess(data);
    if (noAccess !== null) throw new CommandError(noAccess);
    // A snapshot can also replace a missing database.
    if (!existsSync(snapshotFile(data))) assertDatabaseExists(data);
    lockForServing(data);
    const damage = findDamageInFile(join(data, "platen.db"));
    if (damage === null) {
      clearDamageMark(data);
      return "The database is intact; there is nothing to recover.";
    }
    const madeAt = modificationTime(snapshotFile(data));
    if (!madeAt || findDamageInFile(snapshotFile(data)) !== null)
      throw new CommandError(
        `The database is damaged (${damage}), and the folder has no intact snapshot.db. Restore a backup instead: platen restore`,
      );
    const loss = `The database is damaged (${damage}). The snapshot of ${formatMoment(madeAt)} ${describeLoss(countLoss(data, snapshotFile(data)))}`;
    if (!values.yes) throw unconfirmed(loss, "platen recover", values.data);
    await print(`${loss}.`);
    const moved = replaceDatabase(data, snapshotFile(data), "torn", new Date());
    await print(`Restored the database from the snapshot; the damaged files are in ${moved}`);
    const folder = values.data === undefined ? "" : ` --data ${values.data}`;
    return `To list uploads that are missing from the snapshot: platen check${folder}`;
  },
);

export const rollback = command(
  { help: "undo the last upgrade's migration", options: { yes } },
  async ({ values }) => {
    const { data } = readSettings({ data: values.data }, process.env);
    assertDatabaseExists(data);
    lockForServing(data);
    const name = readdirSync(data).filter(isCopyBeforeMigration).sort().at(-1);
    if (!name)
      throw new CommandError("No upgrade has migrated this database; there is nothing to roll back.");
    const older = join(data, name);
    const damage = findDamageInFile(older);
    if (damage !== null) throw new CommandError(`${older} is damaged (${damage}) and cannot be used.`);
    const loss = `${name}, of ${formatMoment(modificationTime(older) as Date)}, ${describeLoss(countLoss(data, older))}`;
    if (!values.yes) throw unconfirmed(loss, "platen rollback", values.data);
    await print(`${loss}.`);
    const moved = replaceDatabase(data, older, "rolled-back", new Date());
    await print(`Restored the older database; the newer files are in ${moved}`);
    return "Now start the older version of Platen. This version would migrate the database again.";
  },
);
