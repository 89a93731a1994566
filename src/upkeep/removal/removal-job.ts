import { eq } from "drizzle-orm";
import { accounts, blogs } from "../../database/schema";
import { conflict } from "../../errors";
import { type JobKind, type JobProgress, ServerStopped } from "../../jobs/job";
import type { JobReport } from "../../jobs/job-report";
import { listUnfinishedJobs, startJob } from "../../jobs/jobs";
import type { Platen } from "../../platen";
import { startChildCommand } from "../../runtime/child-command";
import { isCopyKept, undoHiding, unfinishedRemovals } from "./unfinished-removals";

/** By id, and its title or name. */
export type Removed = { blog: number; title: string } | { account: number; title: string };

/**
 * What `platen blog remove` and `platen account remove` do, in a process of its own: it takes its time. The job is the
 * instance's, since what belongs to a blog goes with it.
 */
export const removalJob: JobKind<Removed> = {
  name: "blog-removal",
  title: ({ title }) => `Removal of ${title}`,
  isResumable: true,
  async run(platen, { given, signal, reportProgress }) {
    const thing = thingOf(given);
    await reportProgress({ doing: "A copy of all of it is kept before it goes" });
    const words = commandFor(platen, given);
    if (!words) return GONE;
    const { ended, end } = startChildCommand(platen, [...words, "--yes", "--progress"], {
      // At a lower priority it could be kept from going on while all wait for its lock.
      priority: 0,
      onStderrLine: (line) => void reportProgress(progressIn(line)).catch(() => {}),
    });
    signal.addEventListener("abort", () => {
      // Cancelled too late, it goes on: there is no way back.
      if (signal.reason instanceof ServerStopped || !isCopyKept(platen, thing)) end();
    });
    const { code, stderr, stdout } = await ended;
    if (code === 0) return { ...GONE, says: stdout.trim() };
    // Where it was killed it could not do so itself.
    undoHiding(platen, thing);
    if (!commandFor(platen, given)) return GONE;
    signal.throwIfAborted();
    throw conflict(stderr.split("\n").at(-1) ?? stderr);
  },
};

/** Goes on with removals that were ended in the middle, or whose process was killed. To be called when a server starts. */
export function resumeRemovals(platen: Platen): void {
  const going = listUnfinishedJobs(platen).filter(({ kind }) => kind === removalJob.name);
  for (const { table, id, title } of unfinishedRemovals(platen)) {
    const given: Removed = table === "blogs" ? { blog: id, title } : { account: id, title };
    if (!going.some((job) => Bun.deepEquals(thingOf(job.given as Removed), thingOf(given))))
      startJob(platen, removalJob, { blog: null, account: null, given });
  }
}

function thingOf(given: Removed) {
  return "blog" in given
    ? ({ table: "blogs", id: given.blog } as const)
    : ({ table: "accounts", id: given.account } as const);
}

/** Undefined where it is gone. */
function commandFor({ db }: Platen, given: Removed): string[] | undefined {
  if ("blog" in given) {
    const blog = db.select({ slug: blogs.slug }).from(blogs).where(eq(blogs.id, given.blog)).get();
    return blog && ["blog", "remove", blog.slug];
  }
  const account = db.select().from(accounts).where(eq(accounts.id, given.account)).get();
  return account && ["account", "remove", "--email", account.email];
}

function progressIn(line: string): JobProgress {
  return line.startsWith("{") ? (JSON.parse(line) as JobProgress) : {};
}

const GONE: JobReport = {
  says: "Removed; a copy of all of it is in the folder removed of the data folder.",
  // What else leads anywhere on the job's page may lead to where the blog was.
  links: [{ path: "/admin", words: "Go on" }],
};
