import { conflict } from "../errors";
import { runJobCommand } from "../jobs/job-runner";
import type { AnyJobKind, JobKind, ReportLine } from "../jobs/jobs";
import { counted } from "../text/numbers";
import { BACKUP_JOB, backupSchedule } from "./backup/backup-schedule";

type NoInput = Record<string, never>;

/** Printed by `platen check --json`. */
export interface CheckReport {
  problems: string[];
  remarks: string[];
  /** Message about uploads without renditions. Not a problem, because copies of the folder may omit renditions. */
  missingSizes: string | null;
  summary: string;
}

export const checkJob: JobKind<NoInput> = {
  name: "check",
  title: () => "Full check",
  isResumable: false,
  async run(platen, task) {
    const { stdout } = await runJobCommand(platen, task, ["check", "--json"], {
      doing: "Checking the database",
      progressOf({ done, total }: { done: number; total: number }) {
        return { done, total, doing: `Reading files: ${done} of ${total}` };
      },
    });
    const { problems, remarks, missingSizes, summary } = JSON.parse(stdout) as CheckReport;
    const line = (weight: ReportLine["weight"]) => (text: string) => ({ weight, text });
    const isFine = problems.length === 0;
    return {
      message: isFine ? `Everything is in order: ${summary}.` : `Checked ${summary}, and found problems.`,
      lines: [
        ...problems.map(line("error")),
        ...remarks.map(line("warning")),
        ...(missingSizes ? [line("note")(missingSizes)] : []),
      ],
    };
  },
};

export const sizesJob: JobKind<NoInput> = {
  name: "sizes",
  title: () => "Creating missing picture sizes",
  isResumable: true,
  async run(platen, task) {
    // Loaded on demand, so that the server starts faster.
    const { repairRenditions } = await import("./check/media-check");
    const repaired = await repairRenditions(platen, (done, total) =>
      task.reportProgress({ done, total, doing: `Checking files: ${done} of ${total}` }),
    );
    const created = `Created missing picture sizes for ${counted(repaired, "file")}.`;
    const result = repaired > 0 ? created : "No picture sizes were missing.";
    return { message: `${result} Existing sizes are unchanged.` };
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

export const backupJob: JobKind<NoInput> = {
  name: BACKUP_JOB,
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
