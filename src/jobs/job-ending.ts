import { eq } from "drizzle-orm";
import { jobs } from "../database/schema";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import type { Job, JobState } from "./job";
import { jobWithId } from "./jobs-in-order";
import { changeQuietly } from "./quiet-changes";

/**
 * One that waits is not begun; one that runs ends within a second or two, at its next step. One that has ended stays as it is.
 * @returns its state then: "running" where it is still to end
 * @throws Refusal (missing)
 */
export function cancelJob(platen: Platen, id: number): JobState {
  changeQuietly(platen, () => {
    const job = jobWithId(platen, id);
    if (!job) throw notFound("job");
    if (job.state === "queued") endJob(platen, id, { state: "cancelled" });
    if (job.state === "running")
      platen.db.update(jobs).set({ isCancelAsked: true }).where(eq(jobs.id, id)).run();
  });
  return jobWithId(platen, id)?.state ?? "cancelled";
}

/** Inside a transaction. */
export function endJob(
  platen: Platen,
  id: number,
  outcome: Pick<Job, "state"> & Partial<Pick<Job, "done" | "total" | "doing" | "report">>,
): void {
  platen.db
    .update(jobs)
    .set({ doing: "", ...outcome, endedAt: platen.now() })
    .where(eq(jobs.id, id))
    .run();
}
