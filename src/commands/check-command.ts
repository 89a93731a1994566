import { SQLiteError } from "bun:sqlite";
import { findDamage } from "../database/verified-copy";
import type { Platen } from "../platen";
import { repairIndex } from "../posts/storage/full-text-search";
import { counted } from "../text/numbers";
import { checkDatabase, isPlatenDatabase } from "../upkeep/check/database-check";
import { checkFolder, repairTags } from "../upkeep/check/folder-check";
import { repairRenditions } from "../upkeep/check/media-check";
import { assertUploadsHaveAccount } from "../upkeep/recovery/damaged-database";
import { readOnlyCommand } from "./shell/command";
import { CommandError, EXIT_FAILURE } from "./shell/command-errors";
import { withPlaten } from "./shell/data-folder";
import { createProgressPrinter, print, showFileProgress } from "./shell/terminal";
import { flag, jsonReport } from "./shell/usage";

export const check = readOnlyCommand(
  {
    help: "check the database and every media file",
    options: {
      quick: flag("only check whether the database is damaged"),
      repair: flag("repair tag lists, search index and image sizes first"),
      json: jsonReport,
    },
  },
  async (platen, { values }) => {
    try {
      if (values.quick) {
        const damage = findDamage(platen.db.$client);
        await print(damage ?? "The database is intact.");
        return damage === null ? 0 : EXIT_FAILURE;
      }
      // A damaged database must not be written to.
      const isIntact = () => isPlatenDatabase(platen) && findDamage(platen.db.$client) === null;
      if (values.repair && isIntact()) await withPlaten(platen.config.data, repairFolder);
      return await reportProblems(platen, values.json);
    } catch (error) {
      if (!(error instanceof SQLiteError)) throw error;
      throw new CommandError(`The database cannot be read: ${error.message}.`);
    }
  },
);

async function repairFolder(platen: Platen): Promise<void> {
  if (repairTags(platen)) await print("Repaired the lists of tags.");
  const { missing, extra } = repairIndex(platen);
  if (missing + extra > 0)
    await print(`Repaired the search index: ${counted(missing, "post")} added, ${extra} removed.`);
  const repaired = await repairRenditions(platen, showFileProgress("Repairing"));
  await print(`Created missing picture sizes for ${counted(repaired, "file")}.`);
}

async function reportProblems(platen: Platen, asJson: boolean): Promise<number> {
  if (!isPlatenDatabase(platen)) throw new CommandError("platen.db is not a Platen database.");
  assertUploadsHaveAccount(platen);
  const printProgress = createProgressPrinter();
  const printLine = (done: number, total: number) => printProgress({ done, total });
  const progress = asJson ? printLine : showFileProgress("Reading");
  const checked = await checkFolder(platen, checkDatabase(platen), progress);
  const code = checked.problems.length > 0 ? EXIT_FAILURE : 0;
  if (asJson) {
    await print(JSON.stringify(checked));
    return code;
  }
  for (const remark of checked.remarks) await print(`Warning: ${remark}`);
  if (checked.missingSizes) await print(checked.missingSizes);
  for (const problem of checked.problems) await print(problem);
  if (code === 0) await print(`Everything is in order: ${checked.summary}.`);
  return code;
}
