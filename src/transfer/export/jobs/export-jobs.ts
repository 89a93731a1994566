import { blogOfRow } from "../../../blogs/blogs";
import { runJobCommand } from "../../../jobs/command-job";
import type { JobKind, JobProgress } from "../../../jobs/job";
import { counted } from "../../../text/numbers";
import { placeForFile, removeKeptFile } from "../../../upkeep/import-and-export-files";
import { countedParts, type ExportProgress, type ExportReport, unsupportedLines } from "../export-blog";

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
export const exportJob: JobKind<{ format: ExportName; withSubscribers?: boolean }> = {
  name: "export",
  title: ({ format }) => TITLES[format],
  isResumable: true,
  async run(platen, task) {
    const { format, withSubscribers } = task.input;
    const blog = blogOfRow(platen, task.job);
    const day = platen.now().toISOString().slice(0, 10);
    const name = `${blog.slug}-${format}-${day}.${format === "bar" ? "bar" : "zip"}`;
    const kept = placeForFile(platen, "exports", blog, name);
    const words = ["export", format, kept.path, "--blog", blog.slug, "--json"];
    if (withSubscribers && format === "platen") words.push("--subscribers");
    try {
      const { stdout } = await runJobCommand(platen, task, words, { doing: "Reading", progressOf });
      const path = `/admin/blogs/${blog.slug}/transfer/exports/${kept.id}` as const;
      const report: ExportReport = JSON.parse(stdout);
      const lost = unsupportedLines(report.lost).map((text) => `Not exported: ${text}.`);
      return {
        message: `Contains ${countedParts(report) || "the settings"}. Download the file within a week.`,
        lines: [
          ...report.errors.map((text) => ({ weight: "error" as const, text })),
          ...lost.map((text) => ({ weight: "note" as const, text })),
        ],
        links: [{ path, words: `Download ${kept.name}` }],
      };
    } catch (error) {
      removeKeptFile(platen, "exports", blog, kept);
      throw error;
    }
  },
};

function progressOf({ posts, pages, files, done, total }: ExportReport & ExportProgress): JobProgress {
  return { done, total, doing: `${counted(posts + pages, "post")}, ${counted(files, "file")}` };
}
