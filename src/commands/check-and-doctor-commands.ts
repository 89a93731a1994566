import { SQLiteError } from "bun:sqlite";
import { findDamage } from "../database/verified-copy";
import type { Platen } from "../platen";
import { repairIndex } from "../posts/storage/full-text-search";
import { counted } from "../text/numbers";
import {
  checkDatabase,
  countUndeletedPosts,
  isPlatenDatabase,
  repairTags,
  summarizeFindings,
} from "../upkeep/check/database-check";
import { checkMedia, repairRenditions } from "../upkeep/check/media-check";
import type { DoctorFinding } from "../upkeep/doctor-address-checks";
import { assertUploadsHaveAccount } from "../upkeep/recovery/damaged-database";
import type { CheckReport } from "../upkeep/upkeep-jobs";
import { folderCommand, readOnlyCommand } from "./shell/command";
import { CommandError, EXIT_FAILURE } from "./shell/command-errors";
import { withPlaten } from "./shell/data-folder";
import { createProgressPrinter, print, showFileProgress } from "./shell/terminal";
import { flag, json, jsonReport } from "./shell/usage";

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
      if (values.repair && isPlatenDatabase(platen) && findDamage(platen.db.$client) === null)
        await withPlaten(platen.config.data, repairFolder);
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
  const inDatabase = checkDatabase(platen);
  const media = await checkMedia(platen, asJson ? printLine : showFileProgress("Reading"));
  const report: CheckReport = {
    problems: summarizeFindings([...inDatabase, ...media.problems]),
    remarks: summarizeFindings(media.remarks),
    missingSizes: media.withoutSizes.length > 0 ? missingSizesMessage(media.withoutSizes) : null,
    summary: `${counted(countUndeletedPosts(platen), "post")}, ${counted(media.files, "file")}`,
  };
  const code = report.problems.length > 0 ? EXIT_FAILURE : 0;
  if (asJson) {
    await print(JSON.stringify(report));
    return code;
  }
  for (const remark of report.remarks) await print(`Warning: ${remark}`);
  if (report.missingSizes) await print(report.missingSizes);
  for (const problem of report.problems) await print(problem);
  if (code === 0) await print(`Everything is in order: ${report.summary}.`);
  return code;
}

function missingSizesMessage([first, ...others]: string[]): string {
  const files =
    others.length === 0 ? `${first} lacks` : `${first} and ${counted(others.length, "more file")} lack`;
  return `${files} smaller sizes, which are created on demand, or now with --repair.`;
}

const SYMBOLS: Record<DoctorFinding["state"], string> = { ok: "✓", warning: "•", error: "✗" };

export const doctor = folderCommand(
  { help: "check disk, clock, backups, proxy, webhooks; give advice", options: { json } },
  async (platen, { values }) => {
    // Loaded here, so that the server's check of the database starts faster.
    const { diagnose } = await import("../upkeep/doctor");
    const findings = await diagnose(platen);
    if (values.json) await print(JSON.stringify(findings, null, 2));
    else
      for (const { about, state, message, advice } of findings)
        await print(`${SYMBOLS[state]} ${about}: ${message}${advice && `\n  → ${advice}`}`);
    return findings.some(({ state }) => state === "error") ? EXIT_FAILURE : 0;
  },
);
