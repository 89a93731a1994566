import { conflict } from "../errors";
import type { AnyJobKind, JobKind, ReportLine } from "../jobs/job";
import { runJobCommand } from "../jobs/job-runner";
import { counted } from "../text/numbers";
import { BACKUP_JOB, backupSchedule } from "./backup/backup-schedule";
import type { FolderReport } from "./check/folder-check";
import { repairRenditions } from "./check/media-check";

type NoInput = Record<string, never>;

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
    const { problems, remarks, missingSizes, summary } = JSON.parse(stdout) as FolderReport;
    const line = (weight: ReportLine["weight"]) => (text: string) => ({ weight, text });
    return {
      message:
        problems.length === 0
          ? `Everything is in order: ${summary}.`
          : `Checked ${summary}, and found problems.`,
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
    const repaired = await repairRenditions(platen, (done, total) =>
      task.reportProgress({ done, total, doing: `Checking files: ${done} of ${total}` }),
    );
    const created =
      repaired === 0
        ? "No picture sizes were missing."
        : `Created missing picture sizes for ${counted(repaired, "file")}.`;
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
