import { SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Config, readSettings, SettingFault, type Settings } from "../../config";
import { DatabaseFault } from "../../database/migrate";
import { closeDatabase, openDatabase } from "../../database/open";
import type { Database } from "../../database/transactions";
import type { Platen } from "../../platen";
import { baseAddress, keptBaseAddress } from "./base-address";

/** The command cannot be carried out; the message is one plain sentence. Exit 1. */
export class CommandFault extends Error {}

/**
 * Opens the data folder for one piece of work, beside a running server or without one.
 * @param data the value of --data
 * @param isFirst the work begins a folder; all other work wants one that is there, lest a mistyped name make another
 */
export async function withPlaten<Result>(
  data: string | undefined,
  work: (platen: Platen) => Result | Promise<Result>,
  isFirst = false,
): Promise<Result> {
  const settings = readSettings({ data }, process.env);
  if (!isFirst && !existsSync(join(settings.data, "platen.db")))
    throw new CommandFault(
      `There is no Platen in ${settings.data}; name its folder with --data or PLATEN_DATA.`,
    );
  const db = openFolder(settings);
  const url = settings.url ?? keptBaseAddress(db) ?? baseAddress(settings.host, settings.port);
  const platen = platenOn({ ...settings, url }, db);
  try {
    return await work(platen);
  } finally {
    closeDatabase(platen.db);
  }
}

/** @throws SettingFault where folder or database cannot be used; DatabaseFault where it is newer than this program */
export function openFolder({ data }: Settings): Database {
  try {
    return openDatabase(data);
  } catch (fault) {
    if (fault instanceof DatabaseFault || !isOfTheSystem(fault)) throw fault;
    throw new SettingFault(`PLATEN_DATA (--data) is "${data}"; that folder cannot be used: ${fault.message}`);
  }
}

function isOfTheSystem(fault: unknown): fault is Error {
  return fault instanceof SQLiteError || (fault instanceof Error && "syscall" in fault);
}

export function platenOn(config: Config, db: Database): Platen {
  return { config, db, now: () => new Date(), log: (line) => console.error(line) };
}
