import { SQLiteError } from "bun:sqlite";
import { type Config, readSettings, type Settings } from "../config";
import { DatabaseFault } from "../database/migrate";
import { closeDatabase, type Database, openDatabase } from "../database/open";
import type { Platen } from "../platen";
import { baseAddress } from "./listening";

/** The command cannot be carried out; the message is one plain sentence. Exit 1. */
export class CommandFault extends Error {}

/**
 * Opens the data folder for one piece of work, beside a running server or without one.
 * @param data the value of --data
 */
export async function withPlaten<Result>(
  data: string | undefined,
  work: (platen: Platen) => Result | Promise<Result>,
): Promise<Result> {
  const settings = readSettings({ data }, process.env);
  const config = { ...settings, url: settings.url ?? baseAddress(settings.host, settings.port) };
  const platen = platenOn(config, openFolder(settings));
  try {
    return await work(platen);
  } finally {
    closeDatabase(platen.db);
  }
}

/** @throws CommandFault where folder or database cannot be used; DatabaseFault where it is newer than this program */
export function openFolder({ data }: Settings): Database {
  try {
    return openDatabase(data);
  } catch (fault) {
    if (fault instanceof DatabaseFault || !isOfTheSystem(fault)) throw fault;
    throw new CommandFault(`The data folder ${data} cannot be used: ${fault.message}`);
  }
}

function isOfTheSystem(fault: unknown): fault is Error {
  return fault instanceof SQLiteError || (fault instanceof Error && "syscall" in fault);
}

export function platenOn(config: Config, db: Database): Platen {
  return { config, db, now: () => new Date(), log: (line) => console.error(line) };
}
