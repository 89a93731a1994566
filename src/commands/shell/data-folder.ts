import { SQLiteError } from "bun:sqlite";
import { join } from "node:path";
import { type Config, readSettings, type Settings } from "../../config/config";
import { SettingError } from "../../config/setting-values";
import { lockForMigration, lockForOpening } from "../../database/folder-locks";
import { assertPrivateFolder, closeDatabase, openDatabase, openReadOnly } from "../../database/open";
import { asDatabaseLocked, asDiskFull, DatabaseError } from "../../errors";
import type { Database, Platen } from "../../platen";
import { isMarkedDamaged, makeReadOnly } from "../../upkeep/recovery/damaged-database";
import { assertDatabaseNotLost } from "../../upkeep/recovery/missing-database";
import { giveBackIfFull } from "../../upkeep/reserve-file";
import { baseAddress, storedBaseAddress } from "./base-address";
import { CommandFault } from "./command-faults";
import { accessFault, demandDatabase } from "./file-faults";
import { reasonOf } from "./system-faults";

/**
 * Opens the data folder for one piece of work, beside a running server or without one.
 * @param data the value of --data
 * @param mayMakeFolder without it the folder must be there, lest a mistyped name make another
 * @throws CommandFault where there is none, and what `openDataFolder` throws
 */
export async function withPlaten(
  data: string | undefined,
  work: (platen: Platen) => Promise<void>,
  { mayMakeFolder = false } = {},
): Promise<void> {
  const settings = readSettings({ data }, process.env);
  if (!mayMakeFolder) demandDatabase(settings.data);
  const db = openDataFolder(settings);
  if (isMarkedDamaged(settings.data)) makeReadOnly(db);
  const url = settings.url ?? storedBaseAddress(db) ?? baseAddress(settings.host, settings.port);
  const platen = { ...platenOn({ ...settings, url }, db), isCommand: true };
  try {
    await work(platen);
  } finally {
    closeDatabase(platen.db);
  }
}

/**
 * Opens the database in the folder; makes both where they are missing.
 * @param isToBeServed by this process, and by no other
 * @throws SettingError where folder or database cannot be used; DatabaseError where it is newer than this program, served
 * already, or lost
 */
export function openDataFolder({ data }: Settings, { isToBeServed = false } = {}): Database {
  const noAccess = accessFault(data);
  if (noAccess !== null) throw new SettingError(`PLATEN_DATA (--data) cannot be used. ${noAccess}`);
  try {
    assertDatabaseNotLost(data);
    if (isToBeServed) {
      giveBackIfFull(data, console.error);
      const serve = lockForOpening(data);
      const db = openDatabase(data);
      serve();
      return db;
    }
    return openDatabase(data, () => lockForMigration(data));
  } catch (fault) {
    if (
      fault instanceof DatabaseError ||
      asDiskFull(fault) ||
      asDatabaseLocked(fault) ||
      !isSystemFault(fault)
    )
      throw fault;
    throw new SettingError(
      `PLATEN_DATA (--data) is "${data}"; that folder cannot be used: ${reasonOf(fault)}.`,
    );
  }
}

/** To read only, without bringing it up to date, and without making one. @throws CommandFault; DatabaseError where others can write to the folder */
export function openUnchanged(folder: string): Database {
  const file = join(folder, "platen.db");
  demandDatabase(folder, { isToBeWritten: false });
  assertPrivateFolder(folder);
  try {
    return openReadOnly(file);
  } catch (fault) {
    throw new CommandFault(`${file} cannot be opened: ${reasonOf(fault)}.`);
  }
}

function isSystemFault(fault: unknown): fault is Error {
  return fault instanceof SQLiteError || (fault instanceof Error && "syscall" in fault);
}

/** With the machine's clock; logs to standard error. */
export function platenOn(config: Config, db: Database): Platen {
  return {
    config,
    db,
    now: () => new Date(),
    log: config.log === "json" ? logAsJson : (line) => console.error(line),
  };
}

/** A fault with its stack is one line too. */
function logAsJson(message: string): void {
  console.error(JSON.stringify({ time: new Date().toISOString(), message }));
}
