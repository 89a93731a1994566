import { SQLiteError } from "bun:sqlite";
import { readSettings } from "../../config/config";
import { findDamage } from "../../database/verified-copy";
import type { Platen } from "../../platen";
import { repairIndex } from "../../posts/search/search-index";
import { counted } from "../../text/numbers";
import { checkDatabase, isPlatenDatabase } from "../../upkeep/check/database-check";
import { checkFolder, repairCounters } from "../../upkeep/check/folder-check";
import { repairRenditions } from "../../upkeep/check/rendition-repair";
import { assertUploadsHaveAccount } from "../../upkeep/recovery/missing-database";
import { baseAddress } from "../shell/base-address";
import { command } from "../shell/command";
import { CommandFault, REFUSED } from "../shell/command-faults";
import { openUnchanged, platenOn, withPlaten } from "../shell/data-folder";
import { print, showProgress } from "../shell/printing";

/** Reads the whole folder and says what is wrong with it, exit 1, or that nothing is. Without --repair it changes nothing. */
export default command(
  {
    does: "check the database and every media file",
    options: {
      quick: { type: "boolean", does: "only whether the database is torn or damaged" },
      repair: {
        type: "boolean",
        does: "mend counters, search index, and sizes that are missing or blank, then check",
      },
    },
  },
  async ({ values }) => {
    const settings = readSettings({ data: values.data }, process.env);
    const url = settings.url ?? baseAddress(settings.host, settings.port);
    const platen = platenOn({ ...settings, url }, openUnchanged(settings.data));
    try {
      if (values.quick) return await reportDamage(platen);
      // Nothing is written to a database that may be beyond it.
      const isWhole = () => isPlatenDatabase(platen) && findDamage(platen.db.$client) === null;
      if (values.repair && isWhole()) await withPlaten(values.data, repair);
      return await report(platen);
    } catch (fault) {
      if (!(fault instanceof SQLiteError)) throw fault;
      throw new CommandFault(`The database cannot be read: ${fault.message}.`);
    } finally {
      platen.db.$client.close(false);
    }
  },
);

async function reportDamage(platen: Platen): Promise<number> {
  const damage = findDamage(platen.db.$client);
  await print(damage ?? "The database is whole.");
  return damage === null ? 0 : REFUSED;
}

async function repair(platen: Platen): Promise<void> {
  for (const of of repairCounters(platen))
    await print(`The counters of ${of} were wrong: they were counted anew.`);
  const { missing, extra } = repairIndex(platen);
  if (missing + extra > 0)
    await print(
      `The search index was repaired: it lacked ${counted(missing, "post")} and had ${extra} that are gone.`,
    );
  const repaired = await repairRenditions(platen, showProgress("Repairing"));
  await print(`Sizes were made anew of ${counted(repaired, "file")}.`);
}

async function report(platen: Platen): Promise<number> {
  if (!isPlatenDatabase(platen)) throw new CommandFault("platen.db is no database of Platen's.");
  assertUploadsHaveAccount(platen);
  const checked = await checkFolder(platen, checkDatabase(platen), showProgress("Reading"));
  for (const remark of checked.remarks) await print(`Warning: ${remark}`);
  if (checked.lack) await print(checked.lack);
  for (const fault of checked.faults) await print(fault);
  if (checked.faults.length > 0) return REFUSED;
  await print(`Everything is in order: ${checked.looked}.`);
  return 0;
}
