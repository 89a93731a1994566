import { blogById } from "../../blogs/blogs";
import { conflict } from "../../errors";
import type { JobKind, Progress } from "../../jobs/job";
import type { JobReport } from "../../jobs/job-report";
import { startCommand } from "../copies/own-commands";

/**
 * What `platen blog remove` does, in a process of its own: a copy of a blog takes its time. The job is the instance's,
 * since what belongs to a blog goes with it.
 */
export const removalJob: JobKind<{ blog: number; title: string }> = {
  name: "blog-removal",
  title: ({ title }) => `Removal of ${title}`,
  isResumable: true,
  async run(platen, { given, signal, tellProgress }) {
    const blog = blogById(platen, given.blog);
    if (!blog) return GONE;
    await tellProgress({ doing: "Copying all that is in it, before it goes" });
    const { ended, end } = startCommand(platen, ["blog", "remove", blog.slug, "--yes", "--progress"], {
      // At a lower priority it could be kept from going on while all wait for its lock.
      priority: 0,
      onComplaint: (line) => void tellProgress(progressIn(line)).catch(() => {}),
    });
    signal.addEventListener("abort", end);
    const { code, complained, printed } = await ended;
    if (code === 0) return { ...GONE, says: printed.trim() };
    // Ended too late to change anything.
    if (!blogById(platen, given.blog)) return GONE;
    signal.throwIfAborted();
    throw conflict(complained.split("\n").at(-1) ?? complained);
  },
};

function progressIn(line: string): Progress {
  return line.startsWith("{") ? (JSON.parse(line) as Progress) : {};
}

const GONE: JobReport = {
  says: "Removed; a copy of all of it is in the folder removed of the data folder.",
  // What else leads anywhere on the job's page may lead to where the blog was.
  links: [{ path: "/admin", words: "Go on" }],
};
