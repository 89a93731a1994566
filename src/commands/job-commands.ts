import { cancelJob, listJobs } from "../jobs/stored-jobs";
import { folderCommand, slugsOfBlogs } from "./shell/command";
import { oneLine, print, printList, toRow } from "./shell/terminal";
import { idOf, json } from "./shell/usage";

const COLUMNS = ["id", "kind", "blog", "state", "progress", "created_at", "doing_or_report"];
const MAX_JOBS = 1000;

export const jobList = folderCommand(
  { help: "list background jobs, newest first", options: { json } },
  async (platen, { values }) => {
    const slugs = slugsOfBlogs(platen);
    const rows = listJobs(platen, { page: 1, limit: MAX_JOBS }).jobs.map(({ report, ...job }) => {
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
    await printList(rows, COLUMNS, values.json);
  },
);

export const jobCancel = folderCommand(
  { help: "cancel a job, before it starts or at its next step", operands: [idOf("job")] },
  async (platen, { operands: [id] }) => {
    const state = cancelJob(platen, id);
    await print(state === "running" ? `Job ${id} will stop at its next step.` : `Job ${id} is ${state}.`);
  },
);
