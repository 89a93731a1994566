import { blogHolding } from "../../../blogs/blogs";
import { conflict } from "../../../errors";
import type { AnyJobKind, JobKind, JobTask } from "../../../jobs/job";
import type { JobReport } from "../../../jobs/job-report";
import type { Platen } from "../../../platen";
import { startChildCommand } from "../../../runtime/child-command";
import { counted } from "../../../text/numbers";
import { placeForExport, removeExport } from "../../../upkeep/exports/kept-exports";
import { type ExportProgress, type ExportReport, unsupportedLines } from "../export-blog";

export const EXPORT_NAMES = ["markdown", "platen", "wordpress", "bar", "static"] as const;
export type ExportName = (typeof EXPORT_NAMES)[number];

const TITLES: Record<ExportName, string> = {
  markdown: "Export as Markdown",
  platen: "Export as an archive",
  wordpress: "Export for WordPress",
  bar: "Export for Micro.blog",
  static: "Export as a static site",
};

/** Runs `platen export` in its own process, so that the server stays responsive. */
export const exportJob: JobKind<{ format: ExportName }> = {
  name: "export",
  title: ({ format }) => TITLES[format],
  isResumable: true,
  async run(platen, task) {
    const { format } = task.given;
    const blog = blogHolding(platen, task.job);
    const day = platen.now().toISOString().slice(0, 10);
    const kept = placeForExport(
      platen,
      blog,
      `${blog.slug}-${format}-${day}.${format === "bar" ? "bar" : "zip"}`,
    );
    try {
      const report = await written(platen, task, [
        "export",
        format,
        kept.path,
        "--blog",
        blog.slug,
        "--json",
      ]);
      const path = `/admin/blogs/${blog.slug}/transfer/exports/${kept.id}` as const;
      return { ...toJobReport(report), links: [{ path, words: `Download ${kept.name}` }] };
    } catch (error) {
      removeExport(platen, blog, kept);
      throw error;
    }
  },
};

/** Runs the export command. @throws Refusal (conflict) with the command's error message */
async function written(
  platen: Platen,
  { signal, reportProgress }: JobTask<unknown>,
  words: string[],
): Promise<ExportReport> {
  await reportProgress({ doing: "Reading" });
  const onStderrLine = (line: string) => {
    if (!line.startsWith("{")) return;
    const { posts, pages, files, done, total } = JSON.parse(line) as ExportReport & ExportProgress;
    const doing = `${counted(posts + pages, "post")}, ${counted(files, "file")}`;
    void reportProgress({ done, total, doing }).catch(() => {});
  };
  const { ended, end } = startChildCommand(platen, words, { onStderrLine });
  signal.addEventListener("abort", end);
  const { stdout, stderr } = await ended;
  signal.throwIfAborted();
  if (!stdout.startsWith("{")) throw conflict(stderr.split("\n").at(-1) ?? stderr);
  return JSON.parse(stdout) as ExportReport;
}

function toJobReport({ posts, pages, files, komments, messages, lost, faults }: ExportReport): JobReport {
  const counts: [number, string][] = [
    [posts, "post"],
    [pages, "page"],
    [komments, "komment"],
    [messages, "message"],
    [files, "file"],
  ];
  const parts = counts.filter(([number]) => number > 0).map(([number, noun]) => counted(number, noun));
  return {
    says: `Contains ${parts.join(", ") || "the settings"}. Download within a week.`,
    lines: [
      ...faults.map((text) => ({ weight: "fault" as const, text })),
      ...unsupportedLines(lost).map((text) => ({ weight: "note" as const, text: `Not exported: ${text}.` })),
    ],
  };
}

export const EXPORT_JOBS: AnyJobKind[] = [exportJob];
