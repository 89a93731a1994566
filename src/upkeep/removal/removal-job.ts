import { findRow } from "../../database/rows";
import { accounts, blogs } from "../../database/schema";
import { conflict } from "../../errors";
import { type JobKind, type JobReport, ServerStopped } from "../../jobs/job";
import { listUnfinishedJobs, startJob } from "../../jobs/stored-jobs";
import type { Platen } from "../../platen";
import { startChildCommand } from "../../runtime/child-command";
import { isCopyKept, undoHiding, unfinishedRemovals } from "./unfinished-removals";

export type Removed = { blog: number; title: string } | { account: number; title: string };

/** The job belongs to the instance, because a blog's jobs are deleted with the blog. */
export const removalJob: JobKind<Removed> = {
  name: "blog-removal",
  title: ({ title }) => `Removal of ${title}`,
  isResumable: true,
  async run(platen, { input, signal, reportProgress }) {
    const thing = removedThing(input);
    await reportProgress({ doing: "Saving a copy, then deleting" });
    const words = commandFor(platen, input);
    if (!words) return REMOVED_REPORT;
    const { ended, end } = startChildCommand(platen, [...words, "--yes"], {
      // A command with lower priority could hold the database lock for a long time.
      priority: 0,
    });
    signal.addEventListener("abort", () => {
      if (signal.reason instanceof ServerStopped || !isCopyKept(platen, thing)) end();
    });
    const { code, stderr, stdout } = await ended;
    if (code === 0) return { ...REMOVED_REPORT, message: stdout.trim() };
    // If the child process was killed, the blog is still hidden.
    undoHiding(platen, thing);
    if (!commandFor(platen, input)) return REMOVED_REPORT;
    signal.throwIfAborted();
    throw conflict(stderr.split("\n").at(-1) ?? stderr);
  },
};

/** Call this when a server starts. */
export function resumeRemovals(platen: Platen): void {
  const going = listUnfinishedJobs(platen).filter(({ kind }) => kind === removalJob.name);
  for (const { table, id, title } of unfinishedRemovals(platen)) {
    const input: Removed = table === "blogs" ? { blog: id, title } : { account: id, title };
    if (!going.some((job) => Bun.deepEquals(removedThing(job.given as Removed), removedThing(input))))
      startJob(platen, removalJob, { blog: null, account: null, input });
  }
}

function removedThing(input: Removed) {
  return "blog" in input
    ? ({ table: "blogs", id: input.blog } as const)
    : ({ table: "accounts", id: input.account } as const);
}

function commandFor(platen: Platen, input: Removed): string[] | undefined {
  if ("blog" in input) {
    // Unlike `blogById`, finds a blog that is being removed.
    const blog = findRow(platen, blogs, { id: input.blog });
    return blog && ["blog", "remove", blog.slug];
  }
  const account = findRow(platen, accounts, { id: input.account });
  return account && ["account", "remove", "--email", account.email];
}

const REMOVED_REPORT: JobReport = {
  message: "Removed. A copy is in the folder removed/ of the data folder.",
  links: [{ path: "/admin", words: "Continue" }],
};
