import { listBlogs } from "../../blogs/blogs";
import type { Job } from "../../jobs/job";
import { jobsOf } from "../../jobs/jobs";
import { command } from "../shell/command";
import { json } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { oneLine, printList } from "../shell/printing";

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
      const { jobs } = jobsOf(platen, { page: 1, limit: ALL });
      const rows = jobs.map((job) => rowOf(job, slugs));
      await printList(
        rows.map((row, index) => (values.json ? { ...row, report: jobs[index]?.report } : row) as typeof row),
        COLUMNS,
        values.json,
      );
    });
  },
);

function rowOf(job: Job, slugs: Map<number, string>) {
  const { id, kind, title, blogId, state, done, total, doing, report } = job;
  return {
    ...{ id, kind, title, blog: blogId === null ? null : (slugs.get(blogId) ?? null), state },
    progress: total > 0 ? `${done}/${total}` : null,
    created_at: job.createdAt,
    begun_at: job.begunAt,
    ended_at: job.endedAt,
    doing_or_report: oneLine(doing || (report?.says ?? "")),
  };
}
