import { SQLiteError } from "bun:sqlite";
import { readSettings } from "../../config";
import { damageIn } from "../../database/whole-copy";
import type { Platen } from "../../platen";
import { countPosts, databaseFaults, isPlatenDatabase, repairCounters } from "../../upkeep/database-check";
import { summedUp } from "../../upkeep/findings";
import { demandDatabaseOfUploads } from "../../upkeep/lost-database";
import { checkMedia } from "../../upkeep/media-check";
import { repairSizes } from "../../upkeep/picture-sizes";
import { baseAddress } from "../shell/base-address";
import { command } from "../shell/command";
import { CommandFault, REFUSED } from "../shell/command-faults";
import { openUnchanged, platenOn, withPlaten } from "../shell/data-folder";
import { counted, print, showProgress } from "../shell/printing";

/** Reads the whole folder and says what is wrong with it, exit 1, or that nothing is. Without --repair it changes nothing. */
export default command(
  {
    does: "check the database and every media file",
    options: {
      quick: { type: "boolean", does: "only whether the database is torn or damaged" },
      repair: {
        type: "boolean",
        does: "count posts anew, make pictures' sizes that are missing or blank, then check",
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
      const isWhole = () => isPlatenDatabase(platen) && damageIn(platen.db.$client) === null;
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
  const damage = damageIn(platen.db.$client);
  await print(damage ?? "The database is whole.");
  return damage === null ? 0 : REFUSED;
}

async function repair(platen: Platen): Promise<void> {
  if (repairCounters(platen)) await print("The counters of posts were wrong: they were counted anew.");
  const repaired = await repairSizes(platen, showProgress("Repairing"));
  await print(`Sizes were made anew of ${counted(repaired, "file")}.`);
}

async function report(platen: Platen): Promise<number> {
  if (!isPlatenDatabase(platen)) throw new CommandFault("platen.db is no database of Platen's.");
  demandDatabaseOfUploads(platen);
  const wrong = databaseFaults(platen);
  const media = await checkMedia(platen, showProgress("Reading"));
  const faults = [...wrong, ...media.faults];
  for (const remark of summedUp(media.remarks)) await print(`Warning: ${remark}`);
  if (media.withoutSizes.length > 0) await print(lackOf(media.withoutSizes));
  for (const fault of summedUp(faults)) await print(fault);
  if (faults.length > 0) return REFUSED;
  await print(
    `Everything is in order: ${counted(countPosts(platen), "post")}, ${counted(media.files, "file")}.`,
  );
  return 0;
}

/** No fault, nor a warning: a copy may well leave out what can be made again. */
function lackOf([first, ...others]: string[]): string {
  const files =
    others.length === 0 ? `${first} lacks` : `${first} and ${counted(others.length, "file")} more lack`;
  return `${files} smaller sizes: they are made when they are asked for, or now by --repair.`;
}
