import { SQLiteError } from "bun:sqlite";
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { baseAddress, type Config, readSettings, SettingError, type Settings } from "../../config/config";
import { lockForMigration, lockForOpening } from "../../database/folder-locks";
import { getSetting, saveSetting } from "../../database/instance-settings";
import { assertPrivateFolder, closeDatabase, openDatabase, openReadOnly } from "../../database/open";
import { asDatabaseLocked, asDiskFull, DatabaseError, errorCode } from "../../errors";
import type { Database, Platen } from "../../platen";
import { freeReserveIfFull } from "../../runtime/disk-space";
import { assertDatabaseNotLost, isMarkedDamaged, makeReadOnly } from "../../upkeep/recovery/damaged-database";
import { CommandError, explainSystemError } from "./command-errors";
import { removeControls } from "./terminal";

/**
 * A server may be using the folder at the same time.
 * @param mayMakeFolder if false, a missing database is an error, because the folder's name may be mistyped
 */
export async function withPlaten<Result>(
  data: string | undefined,
  work: (platen: Platen) => Promise<Result>,
  { mayMakeFolder = false } = {},
): Promise<Result> {
  const settings = readSettings({ data }, process.env);
  if (!mayMakeFolder) assertDatabaseExists(settings.data);
  const db = openDataFolder(settings);
  if (isMarkedDamaged(settings.data)) makeReadOnly(db);
  const url = settings.url ?? getSetting({ db }, BASE_ADDRESS) ?? baseAddress(settings.host, settings.port);
  const storedHosts = getSetting({ db }, PRIVATE_HOSTS)?.split(",").filter(Boolean);
  const privateHosts = storedHosts ?? settings.privateHosts;
  const platen = { ...createPlaten({ ...settings, url, privateHosts }, db), isCommand: true };
  try {
    return await work(platen);
  } finally {
    closeDatabase(platen.db);
  }
}

/**
 * Creates the folder and the database if they are missing.
 * @throws SettingError if the folder cannot be used; DatabaseError, for example if the database is lost
 */
export function openDataFolder({ data }: Settings, { isToBeServed = false } = {}): Database {
  const noAccess = explainNoAccess(data);
  if (noAccess !== null) throw new SettingError(`PLATEN_DATA (--data) cannot be used. ${noAccess}`);
  try {
    assertDatabaseNotLost(data);
    if (isToBeServed) {
      freeReserveIfFull(data, console.error);
      const serve = lockForOpening(data);
      const db = openDatabase(data);
      serve();
      return db;
    }
    return openDatabase(data, () => lockForMigration(data));
  } catch (error) {
    const isFromSystem = error instanceof SQLiteError || (error instanceof Error && "syscall" in error);
    const isExplained = error instanceof DatabaseError || asDiskFull(error) || asDatabaseLocked(error);
    if (isExplained || !isFromSystem) throw error;
    throw new SettingError(
      `PLATEN_DATA (--data) is "${data}"; that folder cannot be used: ${explainSystemError(error)}.`,
    );
  }
}

/** Does not migrate the database, so the tables may be those of another version of Platen. */
export async function withReadOnlyPlaten<Result>(
  data: string | undefined,
  work: (platen: Platen) => Promise<Result>,
): Promise<Result> {
  const settings = readSettings({ data }, process.env);
  const url = settings.url ?? baseAddress(settings.host, settings.port);
  const platen = createPlaten({ ...settings, url }, openFolderReadOnly(settings.data));
  try {
    return await work(platen);
  } finally {
    platen.db.$client.close(false);
  }
}

export function openFolderReadOnly(folder: string): Database {
  const file = join(folder, "platen.db");
  assertDatabaseExists(folder, { isToBeWritten: false });
  assertPrivateFolder(folder);
  try {
    return openReadOnly(file);
  } catch (error) {
    throw new CommandError(`${file} cannot be opened: ${explainSystemError(error)}.`);
  }
}

/**
 * @throws CommandError if the folder has no database, or this user cannot use it
 * @throws DatabaseError if the folder has lost its database
 */
export function assertDatabaseExists(folder: string, { isToBeWritten = true } = {}): void {
  const problem = explainNoAccess(folder, { isToBeWritten });
  if (problem !== null) throw new CommandError(problem);
  assertDatabaseNotLost(folder);
  if (!existsSync(join(folder, "platen.db")))
    throw new CommandError(
      `There is no Platen data in ${folder}; set the folder with --data or PLATEN_DATA.`,
    );
}

/**
 * @returns why this user may not use the database; null if the user may, or for other problems such as a
 * missing database
 */
export function explainNoAccess(folder: string, { isToBeWritten = true } = {}): string | null {
  try {
    accessSync(join(folder, "platen.db"), constants.R_OK | (isToBeWritten ? constants.W_OK : 0));
  } catch (error) {
    const code = errorCode(error);
    if (code === "EACCES" || code === "EPERM")
      return `This user may not use ${folder}; run: sudo platen … --data ${folder}`;
    if (code === "EROFS") return `${folder} cannot be used: ${explainSystemError(error)}.`;
  }
  return null;
}

export function createPlaten(config: Config, db: Database): Platen {
  return {
    config,
    db,
    now: () => new Date(),
    log(message) {
      const isJson = config.log === "json";
      console.error(isJson ? JSON.stringify({ time: new Date(), message }) : removeControls(message));
    },
  };
}

/** Names of rows in the `settings` table. They must not change. */
const BASE_ADDRESS = "base address";
const PRIVATE_HOSTS = "private hosts";
const HAS_RELAY = "relay in the environment";

/** Stores settings for commands, because their flags and environment may differ from the server's. */
export function storeServerSettings(platen: Platen): void {
  const { url, privateHosts, relay } = platen.config;
  const values = {
    [BASE_ADDRESS]: url,
    [PRIVATE_HOSTS]: privateHosts.join(","),
    [HAS_RELAY]: relay ? "yes" : "no",
  };
  for (const [name, value] of Object.entries(values))
    if (getSetting(platen, name) !== value) saveSetting(platen, name, value);
}

/** @returns whether the server's environment has a relay; undefined if no server has stored that yet */
export function serverHasRelay(platen: Platen): boolean | undefined {
  const value = getSetting(platen, HAS_RELAY);
  return value === undefined ? undefined : value === "yes";
}
