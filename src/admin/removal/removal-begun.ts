import { recordAct } from "../../accounts/acts";
import { listUnfinishedJobs, startJob } from "../../jobs/jobs";
import { type Removed, removalJob } from "../../upkeep/removal/removal-job";
import type { Visit } from "../layout/visit";

/** @returns the job's id, also if it was already started @throws Refusal (conflict) if too many jobs wait */
export function startRemoval({ call: { platen }, account }: Visit, removed: Removed): number {
  const begun = listUnfinishedJobs(platen).find(
    ({ kind, given }) => kind === removalJob.name && Bun.deepEquals(given, removed),
  );
  if (begun) return begun.id;
  const job = startJob(platen, removalJob, { blog: null, account, given: removed });
  const act = "blog" in removed ? "began to remove a blog" : "began to remove an account";
  recordAct(platen, act, { account, about: removed.title });
  return job;
}
