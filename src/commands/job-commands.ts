import { listBlogs } from "../blogs/blogs";
import type { Job } from "../jobs/job";
import { cancelJob, listJobs } from "../jobs/stored-jobs";
import { folderCommand, parsedCommand } from "./shell/command";
import { parseId } from "./shell/lookups";
import { oneLine, print, printList } from "./shell/printing";
import { json } from "./shell/usage";

const COLUMNS = ["id", "kind", "blog", "state", "progress", "created_at", "doing_or_report"];
const MAX_JOBS = 1000;

export const jobList = folderCommand(
  { help: "list background jobs, newest first", options: { json } },
  async (platen, { values }) => {
    const slugs = new Map(listBlogs(platen).map(({ id, slug }) => [id, slug]));
    const { jobs } = listJobs(platen, { page: 1, limit: MAX_JOBS });
    const rows = jobs.map((job) => jobRow(job, slugs));
    if (values.json) await print(JSON.stringify(rows, null, 2));
    else await printList(rows.map(tableRow), COLUMNS, false);
  },
);

function jobRow(job: Job, slugs: Map<number, string>) {
  const { id, kind, title, blogId, state, done, total, doing, report } = job;
  const blog = blogId === null ? null : (slugs.get(blogId) ?? null);
  return {
    ...{ id, kind, title, blog, state, done, total, doing },
    created_at: job.createdAt,
    begun_at: job.begunAt,
    ended_at: job.endedAt,
    report: report && {
      message: report.message,
      lines: report.lines ?? [],
      left_off: report.leftOff ?? 0,
      links: report.links ?? [],
    },
  };
}

function tableRow({ done, total, doing, report, ...row }: ReturnType<typeof jobRow>) {
  const { id, kind, blog, state, created_at } = row;
  const progress = total > 0 ? `${done}/${total}` : null;
  const doing_or_report = oneLine(doing || (report?.message ?? ""));
  return { id, kind, blog, state, progress, created_at, doing_or_report };
}

export const jobCancel = parsedCommand(
  { help: "cancel a job, before it starts or at its next step", operands: ["ID"] },
  ({ operands: [text] }) => parseId(text, "job"),
  async (platen, _typed, id) => {
    const state = cancelJob(platen, id);
    await print(state === "running" ? `Job ${id} will stop at its next step.` : `Job ${id} is ${state}.`);
  },
);
