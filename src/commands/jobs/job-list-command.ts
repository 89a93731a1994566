import { listBlogs } from "../../blogs/blogs";
import type { Job } from "../../jobs/job";
import { listJobs } from "../../jobs/jobs";
import { command } from "../shell/command";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { oneLine, print, printList } from "../shell/printing";

const COLUMNS = ["id", "kind", "blog", "state", "progress", "created_at", "doing_or_report"];
/** As many as are kept. */
const ALL = 1000;

export default command(
  {
    does: "list jobs, newest first: checks and whatever takes long, with what came of each",
    options: { json },
  },
  async ({ values }) => {
    await withPlaten(values.data, async (platen) => {
      const slugs = new Map(listBlogs(platen).map(({ id, slug }) => [id, slug]));
      const { jobs } = listJobs(platen, { page: 1, limit: ALL });
      const rows = jobs.map((job) => rowOf(job, slugs));
      if (values.json) await print(JSON.stringify(rows, null, 2));
      else await printList(rows.map(inCells), COLUMNS, false);
    });
  },
);

function rowOf(job: Job, slugs: Map<number, string>) {
  const { id, kind, title, blogId, state, done, total, doing, report } = job;
  const blog = blogId === null ? null : (slugs.get(blogId) ?? null);
  return {
    ...{ id, kind, title, blog, state, done, total, doing },
    created_at: job.createdAt,
    begun_at: job.begunAt,
    ended_at: job.endedAt,
    report: report && {
      says: report.says,
      lines: report.lines ?? [],
      left_off: report.leftOff ?? 0,
      links: report.links ?? [],
    },
  };
}

function inCells({
  id,
  kind,
  blog,
  state,
  done,
  total,
  doing,
  created_at,
  report,
}: ReturnType<typeof rowOf>) {
  const progress = total > 0 ? `${done}/${total}` : null;
  const said = oneLine(doing || (report?.says ?? ""));
  return { id, kind, blog, state, progress, created_at, doing_or_report: said };
}
