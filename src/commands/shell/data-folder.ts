import { SQLiteError } from "bun:sqlite";
import { join } from "node:path";
import { type Config, readSettings, type Settings } from "../../config/config";
import { SettingFault } from "../../config/given";
import { lockForMigration, lockForOpening } from "../../database/folder-locks";
import { closeDatabase, demandFolderOfOneUser, openDatabase, openReadOnly } from "../../database/open";
import { DatabaseFault, lockedOut, noRoom } from "../../errors";
import type { Database, Platen } from "../../platen";
import { isMarkedDamaged, onlyRead } from "../../upkeep/copies/damaged-database";
import { demandDatabaseOfFolder } from "../../upkeep/lost-database";
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
  if (isMarkedDamaged(settings.data)) onlyRead(db);
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
 * @throws SettingFault where folder or database cannot be used; DatabaseFault where it is newer than this program, served
 * already, or lost
 */
export function openDataFolder({ data }: Settings, { isToBeServed = false } = {}): Database {
  const noAccess = accessFault(data);
  if (noAccess !== null) throw new SettingFault(`PLATEN_DATA (--data) cannot be used. ${noAccess}`);
  try {
    demandDatabaseOfFolder(data);
    if (isToBeServed) {
      giveBackIfFull(data, console.error);
      const serve = lockForOpening(data);
      const db = openDatabase(data);
      serve();
      return db;
    }
    return openDatabase(data, () => lockForMigration(data));
  } catch (fault) {
    if (fault instanceof DatabaseFault || noRoom(fault) || lockedOut(fault) || !isSystemFault(fault))
      throw fault;
    throw new SettingFault(
      `PLATEN_DATA (--data) is "${data}"; that folder cannot be used: ${reasonOf(fault)}.`,
    );
  }
}

/** To read only, without bringing it up to date, and without making one. @throws CommandFault; DatabaseFault where others can write to the folder */
export function openUnchanged(folder: string): Database {
  const file = join(folder, "platen.db");
  demandDatabase(folder, { isToBeWritten: false });
  demandFolderOfOneUser(folder);
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
