import { accountById } from "../accounts/accounts";
import { type Blog, blogOfRow } from "../blogs/blogs";
import { runJobCommand } from "../jobs/job-runner";
import type { JobKind, JobProgress, JobTask, ReportLine } from "../jobs/jobs";
import { counted, grouped } from "../text/numbers";
import { findKeptFile, placeForFile, removeKeptFile } from "../upkeep/import-and-export-files";
import { countedParts, type ExportProgress, type ExportReport, unsupportedLines } from "./export/export-blog";
import type { ReportList, SerializedReport, UndoneImport } from "./import/run/import-report";
import { importSummary, isNothingNew, undoSummary } from "./import/run/import-report";

export interface ImportJobInput {
  /** Id of a file stored by `storeSourceUpload`. */
  upload: string;
  name: string;
  format: string;
  mayFetch: boolean;
  isPartial: boolean;
  isDry: boolean;
  /** Number of posts and pages in the preview; 0 if unknown. */
  total: number;
}

/** Runs `platen import` in its own process, so that untrusted files cannot block the server. */
export const importJob: JobKind<ImportJobInput> = {
  name: "import",
  title: ({ name, isDry }) => `${isDry ? "Preview of" : "Import of"} ${name}`,
  isResumable: true,
  async run(platen, task) {
    const { upload, format, mayFetch, isPartial, isDry, total } = task.input;
    const blog = blogOfRow(platen, task.job);
    const { path } = findKeptFile(platen, "imports", blog, upload);
    // Shown if the job is interrupted.
    const runAgain = { path: importFormPath(blog, task, total), words: "Run again" };
    await task.reportProgress({
      report: isDry
        ? { message: "Nothing was imported.", links: [toTransfer(blog, "Choose another file")] }
        : { message: "Run the import again to continue; nothing is imported twice.", links: [runAgain] },
    });
    const { accountId } = task.job;
    const isByAdmin = accountId !== null && accountById(platen, accountId)?.isAdmin === true;
    const words = ["import", format, path, "--blog", blog.slug, "--json"];
    if (!mayFetch) words.push("--no-fetch");
    if (!isByAdmin) words.push("--as-author");
    if (isPartial) words.push("--partial");
    if (isDry) words.push("--dry-run");
    const progressOf = ({ posts, pages, komments, files, known }: SerializedReport) => {
      const done = posts + pages + known;
      const doing = [counted(done, "post"), counted(komments, "komment"), counted(files, "file")].join(", ");
      return { done, total, doing };
    };
    const options = { doing: "Reading", total, priority: 0, progressOf };
    const { stdout } = await runJobCommand(platen, task, words, options);
    const report = JSON.parse(stdout) as SerializedReport & { import: number | null };
    if (!isDry) removeKeptFile(platen, "imports", blog, { id: upload });
    const all = report.posts + report.pages + report.known;
    const toConfirm = { path: importFormPath(blog, task, all), words: "Import" };
    const toPosts = { path: `/admin/blogs/${blog.slug}/posts` as const, words: "Show posts" };
    const verb = isDry ? "To import: " : "Imported ";
    const counts = `${isNothingNew(report) ? "" : verb}${describeCounts(report)}.`;
    return {
      message: isDry ? `${counts} Nothing has been imported yet.` : counts,
      lines: linesOf(report),
      links: isDry ? [toConfirm] : [toPosts, toTransfer(blog, "All imports")],
    };
  },
};

export const undoJob: JobKind<{ import: number; name: string }> = {
  name: "import-undo",
  title: ({ name }) => `Undo import of ${name}`,
  isResumable: true,
  async run(platen, task) {
    const blog = blogOfRow(platen, task.job);
    const words = ["import", "undo", String(task.input.import), "--yes", "--json"];
    const progressOf = (line: { undone: number; of: number }) => ({
      ...{ done: line.undone, total: line.of },
      doing: `${grouped(line.undone)} of ${counted(line.of, "post")}`,
    });
    const options = { doing: "Reading", priority: 0, progressOf };
    const { stdout } = await runJobCommand(platen, task, words, options);
    const undone = JSON.parse(stdout) as UndoneImport;
    return { message: `Undone: ${undoSummary(undone)}.`, links: [toTransfer(blog, "All imports")] };
  },
};

function toTransfer({ slug }: Blog, words: string) {
  return { path: `/admin/blogs/${slug}/transfer` as const, words };
}

function importFormPath(blog: Blog, { input }: JobTask<ImportJobInput>, total: number) {
  const { upload, format, mayFetch, isPartial } = input;
  const options = { fetch: mayFetch ? "yes" : "no", partial: isPartial ? "yes" : "no" };
  const query = { upload, format, ...options, total: String(total) };
  return `/admin/blogs/${blog.slug}/transfer?${new URLSearchParams(query)}` as const;
}

function describeCounts(report: SerializedReport): string {
  const { toFetch, known, scheduled } = report;
  const existing = `${grouped(known)} ${known === 1 ? "post or page already exists" : "posts and pages already exist"}`;
  if (isNothingNew(report)) return `Nothing new: ${existing}`;
  const counts = [importSummary(report) + (toFetch > 0 ? `, ${counted(toFetch, "file")} to download` : "")];
  if (scheduled > 0) counts.push(`${counted(scheduled, "post")} ${scheduled === 1 ? "is" : "are"} scheduled`);
  if (known > 0) counts.push(existing);
  return counts.join("; ");
}

function linesOf({ errors, missingFiles, changedAddresses, lost, lostOf }: SerializedReport): ReportLine[] {
  type Weight = ReportLine["weight"];
  const reportLines = (weight: Weight, text: string, { total, lines }: ReportList): ReportLine[] =>
    total > 0 ? [{ weight, text, each: lines, total }] : [];
  const lostLines = Object.entries(lost).map(([what, times]): ReportLine => {
    const text = `Not imported: ${what}${times > 1 ? ` (${grouped(times)} times)` : ""}`;
    const each = lostOf[what] ?? [];
    if (each.length === 0) return { weight: "warning", text };
    return { weight: "warning", text: `${text}. Posts and pages`, each, total: each.length };
  });
  return [
    ...reportLines("error", "Could not be read", errors),
    ...lostLines,
    ...reportLines("warning", "Missing", missingFiles),
    ...reportLines("note", "Changed URLs (old URLs redirect)", changedAddresses),
  ];
}

const EXPORT_TITLES = {
  markdown: "Export as Markdown",
  platen: "Export as an archive",
  wordpress: "Export for WordPress",
  bar: "Export for Micro.blog",
  static: "Export as a static site",
};
export type ExportName = keyof typeof EXPORT_TITLES;
export const EXPORT_NAMES = Object.keys(EXPORT_TITLES) as ExportName[];

/** Runs `platen export` in its own process, so that the server stays responsive. */
export const exportJob: JobKind<{ format: ExportName; withSubscribers?: boolean }> = {
  name: "export",
  title: ({ format }) => EXPORT_TITLES[format],
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
      const options = { doing: "Reading", progressOf: exportProgressOf };
      const { stdout } = await runJobCommand(platen, task, words, options);
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

function exportProgressOf({ posts, pages, files, done, total }: ExportReport & ExportProgress): JobProgress {
  return { done, total, doing: `${counted(posts + pages, "post")}, ${counted(files, "file")}` };
}
