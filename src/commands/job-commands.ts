import { cancelJob, listJobs } from "../jobs/jobs";
import { folderCommand, listCommand, slugsOfBlogs } from "./shell/command";
import { oneLine, toRow } from "./shell/terminal";
import { idOf } from "./shell/usage";

const MAX_JOBS = 1000;

export const jobList = listCommand(
  { help: "list background jobs, newest first" },
  ["id", "kind", "blog", "state", "progress", "created_at", "doing_or_report"],
  (platen, { values }) => {
    const slugs = slugsOfBlogs(platen);
    return listJobs(platen, { page: 1, limit: MAX_JOBS }).jobs.map(({ report, ...job }) => {
      const row = {
        ...toRow(job, ["id", "kind", "title"]),
        blog: (job.blogId && slugs.get(job.blogId)) ?? null,
        ...toRow(job, ["state", "done", "total", "doing", "createdAt", "begunAt", "endedAt"]),
      };
      if (values.json)
        return { ...row, report: report && toRow(report, ["message", "lines", "leftOff", "links"]) };
      const progress = job.total > 0 ? `${job.done}/${job.total}` : null;
      return { ...row, progress, doing_or_report: oneLine(job.doing || (report?.message ?? "")) };
    });
  },
);

export const jobCancel = folderCommand(
  { help: "cancel a job, before it starts or at its next step", operands: [idOf("job")] },
  (platen, { operands: [id] }) => {
    const state = cancelJob(platen, id);
    return state === "running" ? `Job ${id} will stop at its next step.` : `Job ${id} is ${state}.`;
  },
);
