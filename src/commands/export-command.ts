import type { Platen } from "../platen";
import { counted } from "../text/numbers";
import {
  countedParts,
  type ExportFormat,
  type ExportOptions,
  type ExportProgress,
  type ExportReport,
  exportBlog,
  unsupportedLines,
} from "../transfer/export/export-blog";
import type { ExportName } from "../transfer/export/jobs/export-jobs";
import { OutputError } from "../transfer/export/output/output";
import { folderCommand, withAbortOnSignal } from "./shell/command";
import { ArgumentError, CommandError, EXIT_FAILURE } from "./shell/command-errors";
import { requireBlog } from "./shell/lookups";
import { createProgressPrinter, print, showStatus } from "./shell/printing";
import { blog, choiceOf, flag, jsonReport } from "./shell/usage";

const FORMATS: Record<ExportName, { help: string; load: () => Promise<ExportFormat> }> = {
  markdown: {
    help: "Markdown files with media, in a folder or ZIP file",
    load: async () => (await import("../transfer/export/formats/markdown-export")).markdownExport,
  },
  platen: {
    help: "complete archive, for `platen import platen`",
    load: async () => (await import("../transfer/export/formats/platen-archive")).platenArchive,
  },
  wordpress: {
    help: "WordPress import files (WXR) with media",
    load: async () => (await import("../transfer/export/formats/wordpress-export")).wordpressExport,
  },
  bar: {
    help: "blog archive (.bar) for Micro.blog and others",
    load: async () => (await import("../transfer/export/formats/bar-export")).barExport,
  },
  static: {
    help: "static site for any web server",
    load: async () => ({
      name: "static",
      isArchive: false,
      hasCards: true,
      isPublic: true,
      write: async (context) => (await import("../app")).exportStaticSite(context),
    }),
  },
};

export const exportCommand = folderCommand(
  {
    help: "export a blog to a folder, ZIP or archive",
    operands: [{ name: "FORMAT", parse: choiceOf(Object.keys(FORMATS) as ExportName[]) }, "DEST"],
    options: {
      blog,
      json: jsonReport,
      "no-cards": flag("static format: draw no title cards for link previews"),
      subscribers: flag("platen format: include newsletter subscribers"),
    },
    formats: Object.fromEntries(Object.entries(FORMATS).map(([name, { help }]) => [name, help])),
  },
  async (platen, { operands: [name, dest], values }) => {
    const format = await FORMATS[name].load();
    if (values["no-cards"] && !format.hasCards)
      throw new ArgumentError(`--no-cards does not apply to ${name}`);
    if (values.subscribers && !format.hasSubscribers)
      throw new ArgumentError(`--subscribers does not apply to ${name}`);
    const onStep = values.json ? createProgressLines() : showExportProgress;
    const options = { withCards: !values["no-cards"], withSubscribers: values.subscribers };
    const report = await runExport(platen, values.blog, format, dest, onStep, options);
    if (values.json) await print(JSON.stringify(report));
    else {
      const parts = countedParts(report) || "only settings, because the blog is empty";
      await print([`Wrote ${parts}.`, ...leftOutLines(report)].join("\n"));
      for (const error of report.errors) console.error(error);
    }
    return report.errors.length > 0 ? EXIT_FAILURE : 0;
  },
);

async function runExport(
  platen: Platen,
  slug: string,
  format: ExportFormat,
  dest: string,
  onStep: (report: ExportReport, work: ExportProgress) => void,
  options: ExportOptions,
): Promise<ExportReport> {
  const aborted = new OutputError("The export was stopped; no exported files were kept.");
  try {
    return await withAbortOnSignal(aborted, (ending) =>
      exportBlog(platen, requireBlog(platen, slug), format, dest, onStep, { ...options, signal: ending }),
    );
  } catch (error) {
    throw error instanceof OutputError ? new CommandError(error.message) : error;
  } finally {
    showStatus("");
  }
}

function createProgressLines(): (report: ExportReport, work: ExportProgress) => void {
  const printProgress = createProgressPrinter();
  return ({ posts, pages, files }, { done, total }) => printProgress({ posts, pages, files, done, total });
}

function showExportProgress({ posts, pages, files }: ExportReport, { done, total }: ExportProgress): void {
  const share = total > 0 ? `${Math.floor((100 * done) / total)} %: ` : "";
  showStatus(`${share}${counted(posts + pages, "post")}, ${counted(files, "file")} …`);
}

function leftOutLines({ lost }: ExportReport): string[] {
  const lines = unsupportedLines(lost).map((line) => `  ${line}`);
  return lines.length > 0 ? ["", "Not exported:", ...lines] : [];
}
