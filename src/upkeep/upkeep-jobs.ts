import { HOUR } from "../config/units";
import { conflict } from "../errors";
import { runJobCommand } from "../jobs/command-job";
import type { AnyJobKind, JobKind, JobTask } from "../jobs/job";
import type { ReportLine } from "../jobs/job-report";
import type { Platen } from "../platen";
import { workerQueues } from "../worker-queue";
import { backupSchedule } from "./backup/schedule-and-last-backup";
import type { CheckFinding } from "./check/check-findings";
import { type checkDatabasePart, DATABASE_PARTS } from "./check/database-check";
import { checkFolder } from "./check/folder-check";
import { repairRenditions } from "./check/rendition-repair";

type NoInput = Record<string, never>;

/** Time limit for checking one part of the database. */
const MAX_PART_CHECK_MS = HOUR;

export const checkJob: JobKind<NoInput> = {
  name: "check",
  title: () => "Full check",
  isResumable: false,
  async run(platen, task) {
    const findings = await checkDatabaseInWorker(platen, task);
    const { problems, remarks, missingSizes, summary } = await checkFolder(platen, findings, (done, total) =>
      task.reportProgress({ done, total, doing: `Reading files: ${done} of ${total}` }),
    );
    const line = (weight: ReportLine["weight"]) => (text: string) => ({ weight, text });
    return {
      message:
        problems.length === 0 ? `Everything is in order: ${summary}.` : `Problems found in ${summary}.`,
      lines: [
        ...problems.map(line("error")),
        ...remarks.map(line("warning")),
        ...(missingSizes ? [line("note")(missingSizes)] : []),
      ],
    };
  },
};

async function checkDatabaseInWorker(
  { db }: Platen,
  { signal, reportProgress }: JobTask<unknown>,
): Promise<CheckFinding[]> {
  const findings: CheckFinding[] = [];
  const cancel = () => workerQueues.checks.fail(signal.reason);
  signal.addEventListener("abort", cancel);
  try {
    const cost = { within: MAX_PART_CHECK_MS, characters: 0, source: "check" };
    const check = (part: (typeof DATABASE_PARTS)[number]) =>
      workerQueues.checks.run<typeof checkDatabasePart>("checkDatabasePart", cost, db.$client.filename, part);
    for (const part of DATABASE_PARTS) {
      await reportProgress({ doing: `Checking the database: ${part}` });
      findings.push(...(await check(part)));
    }
    return findings;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Makes missing renditions, the first step of `platen check --repair`. */
export const sizesJob: JobKind<NoInput> = {
  name: "sizes",
  title: () => "Missing picture sizes",
  isResumable: true,
  async run(platen, task) {
    const repaired = await repairRenditions(platen, (done, total) =>
      task.reportProgress({ done, total, doing: `Checking files: ${done} of ${total}` }),
    );
    const files = repaired === 1 ? "1 file" : `${repaired} files`;
    const created = repaired === 0 ? "No sizes were missing." : `Created missing sizes for ${files}.`;
    return { message: `${created} Existing sizes are unchanged.` };
  },
};

export const snapshotJob: JobKind<NoInput> = {
  name: "snapshot",
  title: () => "Snapshot of the database",
  isResumable: false,
  async run(platen, task) {
    await runJobCommand(platen, task, ["snapshot"], { doing: "Writing snapshot.db" });
    return { message: "Snapshot saved to snapshot.db." };
  },
};

/** Makes a scheduled backup now. */
export const backupJob: JobKind<NoInput> = {
  name: "backup",
  title: () => "Backup",
  isResumable: false,
  async run(platen, task) {
    const backup = backupSchedule(platen);
    if (!backup) throw conflict("No backup destination is set.");
    const words = ["backup", backup.to, "--keep", backup.keep];
    const { stdout, stderr } = await runJobCommand(platen, task, words, { doing: `To ${backup.to}` });
    return { message: `${stdout}\n${stderr}`.trim() };
  },
};

export const UPKEEP_JOBS: AnyJobKind[] = [checkJob, sizesJob, snapshotJob, backupJob];
