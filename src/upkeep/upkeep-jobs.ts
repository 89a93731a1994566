import { HOUR } from "../config/units";
import { conflict } from "../errors";
import type { AnyJobKind, JobKind, JobTask } from "../jobs/job";
import type { ReportLine } from "../jobs/job-report";
import type { Platen } from "../platen";
import { startChildCommand } from "../runtime/child-command";
import { workerQueues } from "../worker-queue";
import type { CheckFinding } from "./check/check-findings";
import { type checkDatabasePart, DATABASE_PARTS } from "./check/database-check";
import { checkFolder } from "./check/folder-check";
import { repairRenditions } from "./check/rendition-repair";

type NothingGiven = Record<string, never>;

/** Of the processor, for one part of the database: a gigabyte takes seconds, on a Pi a minute. */
const LONGEST_PART = HOUR;

/** What `platen check` does. */
export const checkJob: JobKind<NothingGiven> = {
  name: "check",
  title: () => "Check of everything",
  isResumable: false,
  async run(platen, task) {
    const wrong = await findDatabaseFaults(platen, task);
    const { faults, remarks, lack, looked } = await checkFolder(platen, wrong, (done, total) =>
      task.reportProgress({ done, total, doing: `Reading files: ${done} of ${total}` }),
    );
    const line = (weight: ReportLine["weight"]) => (text: string) => ({ weight, text });
    return {
      says: faults.length === 0 ? `Everything is in order: ${looked}.` : `Something is wrong. (${looked}.)`,
      lines: [
        ...faults.map(line("fault")),
        ...remarks.map(line("warning")),
        ...(lack ? [line("note")(lack)] : []),
      ],
    };
  },
};

/** In a thread beside the server, which would stand still for as long as reading the database takes. */
async function findDatabaseFaults(
  { db }: Platen,
  { signal, reportProgress }: JobTask<unknown>,
): Promise<CheckFinding[]> {
  const found: CheckFinding[] = [];
  const giveUp = () => workerQueues.checks.lose(signal.reason);
  signal.addEventListener("abort", giveUp);
  try {
    for (const part of DATABASE_PARTS) {
      await reportProgress({ doing: `Looking through the database: ${part}` });
      const cost = { within: LONGEST_PART, characters: 0, source: "check" };
      const { filename } = db.$client;
      found.push(
        ...(await workerQueues.checks.run<typeof checkDatabasePart>(
          "checkDatabasePart",
          cost,
          filename,
          part,
        )),
      );
    }
    return found;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** What `platen check --repair` does first. */
export const sizesJob: JobKind<NothingGiven> = {
  name: "sizes",
  title: () => "Missing sizes of pictures",
  isResumable: true,
  async run(platen, task) {
    const repaired = await repairRenditions(platen, (done, total) =>
      task.reportProgress({ done, total, doing: `Looking at files: ${done} of ${total}` }),
    );
    const files = repaired === 1 ? "1 file" : `${repaired} files`;
    const made = repaired === 0 ? "No size was missing." : `Missing sizes were made of ${files}.`;
    return { says: `${made} Sizes that are there stay as they are.` };
  },
};

/** What `platen snapshot` does. */
export const snapshotJob: JobKind<NothingGiven> = {
  name: "snapshot",
  title: () => "Snapshot of the database",
  isResumable: false,
  async run(platen, task) {
    await runCommand(platen, task, ["snapshot"], "Writing snapshot.db");
    return { says: "snapshot.db holds the database as it is now." };
  },
};

/** What the server does on its schedule, by `platen backup`. */
export const backupJob: JobKind<NothingGiven> = {
  name: "backup",
  title: () => "Backup",
  isResumable: false,
  async run(platen, task) {
    const { backup } = platen.config;
    if (!backup) throw conflict("No place for backups is set: PLATEN_BACKUP.");
    return {
      says: await runCommand(platen, task, ["backup", backup.to, "--keep", backup.keep], `To ${backup.to}`),
    };
  },
};

/** In a process of its own, which ends with the job. @returns what it printed */
async function runCommand(
  platen: Platen,
  { signal, reportProgress }: JobTask<unknown>,
  words: string[],
  doing: string,
): Promise<string> {
  await reportProgress({ doing });
  const { ended, end } = startChildCommand(platen, words);
  signal.addEventListener("abort", end);
  const { code, said } = await ended;
  signal.throwIfAborted();
  if (code !== 0) throw conflict(said);
  return said;
}

export const UPKEEP_JOBS: AnyJobKind[] = [checkJob, sizesJob, snapshotJob, backupJob];
