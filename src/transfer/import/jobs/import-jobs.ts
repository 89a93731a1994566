import { accountById } from "../../../accounts/accounts";
import { type Blog, blogOfRow } from "../../../blogs/blogs";
import { runJobCommand } from "../../../jobs/command-job";
import type { AnyJobKind, JobKind, JobProgress, JobTask } from "../../../jobs/job";
import type { JobReport, ReportLine } from "../../../jobs/job-report";
import type { Platen } from "../../../platen";
import { counted, grouped } from "../../../text/numbers";
import { importSummary, type ReportList, type SerializedReport } from "../run/import-report";
import { type UndoneImport, undoSummary } from "../run/undo-import";
import { deleteSourceUpload, findSourceUpload, uploadToken } from "./source-uploads";

export interface ImportJobInput {
  /** Id of an `UploadedSource`. */
  upload: string;
  name: string;
  /** A format name, or "auto". */
  format: string;
  mayFetch: boolean;
  /** Imports the readable part of a truncated file. */
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
    const { path } = await findSourceUpload(platen, upload);
    // Stored in advance, to be shown if the job is interrupted.
    await task.reportProgress({
      report: isDry ? unfinishedPreviewReport(blog) : interruptedReport(platen, task),
    });
    const { accountId } = task.job;
    const isByAdmin = accountId !== null && accountById(platen, accountId)?.isAdmin === true;
    const options = [
      ...(mayFetch ? [] : ["--no-fetch"]),
      ...(isByAdmin ? [] : ["--as-author"]),
      ...(isPartial ? ["--partial"] : []),
      ...(isDry ? ["--dry-run"] : []),
    ];
    const words = ["import", format, path, "--blog", blog.slug, "--json", ...options];
    const progressOf = (line: ProgressLine) => progressIn(line, total);
    const { stdout } = await runJobCommand(platen, task, words, {
      doing: "Reading",
      total,
      priority: 0,
      progressOf,
    });
    const report = JSON.parse(stdout) as SerializedReport & { import: number | null };
    if (!isDry) await deleteSourceUpload(platen, upload);
    return isDry ? previewReport(platen, task, report) : importedReport(blog, report);
  },
};

/** Runs `platen import undo`. */
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
    const { stdout } = await runJobCommand(platen, task, words, {
      doing: "Reading",
      priority: 0,
      progressOf,
    });
    const undone = JSON.parse(stdout) as UndoneImport;
    return { message: `Undone: ${undoSummary(undone)}.`, links: [toTransfer(blog, "All imports")] };
  },
};

/** @param expected number of posts and pages; 0 if unknown */
function progressIn({ posts, pages, komments, files, known }: ProgressLine, expected: number): JobProgress {
  const done = posts + pages + known;
  const doing = [counted(done, "post"), counted(komments, "komment"), counted(files, "file")].join(", ");
  return { done, total: expected, doing };
}

/** A line that `platen import` prints to standard error. */
type ProgressLine = Pick<SerializedReport, "posts" | "pages" | "komments" | "files" | "known">;

function toTransfer({ slug }: Blog, words: string) {
  return { path: `/admin/blogs/${slug}/transfer` as const, words };
}

function unfinishedPreviewReport(blog: Blog): JobReport {
  return { message: "Nothing was imported.", links: [toTransfer(blog, "Choose another file")] };
}

function interruptedReport(platen: Platen, task: JobTask<ImportJobInput>): JobReport {
  const message = "Run it again to continue; nothing is imported twice.";
  return { message, links: [{ path: importFormPath(platen, task, task.input.total), words: "Run again" }] };
}

/** @param total number of posts and pages */
function importFormPath(platen: Platen, { input, job }: JobTask<ImportJobInput>, total: number) {
  const blog = blogOfRow(platen, job);
  const upload = uploadToken(platen, input.upload, { blog, accountId: job.accountId });
  const { format, mayFetch, isPartial } = input;
  const options = { fetch: mayFetch ? "yes" : "no", partial: isPartial ? "yes" : "no" };
  const query = { upload, format, ...options, total: String(total) };
  return `/admin/blogs/${blog.slug}/transfer?${new URLSearchParams(query)}` as const;
}

function previewReport(platen: Platen, task: JobTask<ImportJobInput>, report: SerializedReport): JobReport {
  const path = importFormPath(platen, task, report.posts + report.pages + report.known);
  return {
    message: `${hasNewContent(report) ? `To import: ${describeCounts(report)}` : describeCounts(report)}. Nothing was imported yet.`,
    lines: linesOf(report),
    links: [{ path, words: "Import" }],
  };
}

function importedReport(blog: Blog, report: SerializedReport): JobReport {
  return {
    message: hasNewContent(report) ? `Imported ${describeCounts(report)}.` : `${describeCounts(report)}.`,
    lines: linesOf(report),
    links: [
      { path: `/admin/blogs/${blog.slug}/posts`, words: "Show posts" },
      toTransfer(blog, "All imports"),
    ],
  };
}

function hasNewContent({
  posts,
  pages,
  komments,
  files,
  messages,
  revisions,
  subscribers,
  known,
}: SerializedReport): boolean {
  return known === 0 || posts + pages + komments + files + messages + revisions + subscribers > 0;
}

function describeCounts(report: SerializedReport): string {
  const { toFetch, known, scheduled } = report;
  const existing = `${grouped(known)} ${known === 1 ? "post or page exists" : "posts and pages exist"} already`;
  if (!hasNewContent(report)) return `Nothing new: ${existing}`;
  const parts = [importSummary(report), ...(toFetch > 0 ? [`${counted(toFetch, "file")} to fetch`] : [])];
  const counts = [
    parts.join(", "),
    ...(scheduled > 0 ? [scheduledWords(scheduled)] : []),
    ...(known > 0 ? [existing] : []),
  ];
  return counts.join("; ");
}

function scheduledWords(count: number): string {
  return count === 1 ? "1 post is scheduled" : `${grouped(count)} posts are scheduled`;
}

function linesOf({ errors, missingFiles, changedAddresses, lost, lostOf }: SerializedReport): ReportLine[] {
  const reportLines = (
    weight: ReportLine["weight"],
    text: string,
    { total, lines }: ReportList,
  ): ReportLine[] => (total > 0 ? [{ weight, text, each: lines, total }] : []);
  return [
    ...reportLines("error", "Could not be read", errors),
    ...Object.entries(lost).map(
      ([what, times]): ReportLine => ({
        weight: "warning",
        text: `Not imported: ${what}${times > 1 ? ` (${grouped(times)} times)` : ""}${lostOf[what]?.length ? ". Posts and pages" : ""}`,
        ...(lostOf[what]?.length && { each: lostOf[what], total: lostOf[what].length }),
      }),
    ),
    ...reportLines("warning", "Missing", missingFiles),
    ...reportLines("note", "Changed URLs; the old ones redirect", changedAddresses),
  ];
}

export const IMPORT_JOBS: AnyJobKind[] = [importJob, undoJob];
