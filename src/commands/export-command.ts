import { counted } from "../text/numbers";
import type { ExportFormat, ExportProgress, ExportReport } from "../transfer/export/export-blog";
import { countedParts, exportBlog, unsupportedLines } from "../transfer/export/export-blog";
import { OutputError } from "../transfer/export/zip-and-folder-output";
import type { ExportName } from "../transfer/import-and-export-jobs";
import { folderCommand, requireBlog, withAbortOnSignal } from "./shell/command";
import { ArgumentError, CommandError, EXIT_FAILURE } from "./shell/command-errors";
import { createProgressPrinter, print, showStatus } from "./shell/terminal";
import { blog, choiceOf, flag, jsonReport } from "./shell/usage";

const FORMATS: Record<ExportName, { help: string; load: () => Promise<ExportFormat> }> = {
  markdown: {
    help: "Markdown files with media, in a folder or ZIP file",
    load: async () => (await import("../transfer/export/markdown-export")).markdownExport,
  },
  platen: {
    help: "complete archive, for `platen import platen`",
    load: async () => (await import("../transfer/export/platen-archive")).platenArchive,
  },
  wordpress: {
    help: "WordPress import files (WXR) with media",
    load: async () => (await import("../transfer/export/wordpress-export")).wordpressExport,
  },
  bar: {
    help: "blog archive (.bar) for Micro.blog and others",
    load: async () => (await import("../transfer/export/bar-export")).barExport,
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
    const printProgress = createProgressPrinter();
    const onStep = ({ posts, pages, files }: ExportReport, { done, total }: ExportProgress) => {
      const share = total > 0 ? `${Math.floor((100 * done) / total)} %: ` : "";
      if (values.json) printProgress({ posts, pages, files, done, total });
      else showStatus(`${share}${counted(posts + pages, "post")}, ${counted(files, "file")} …`);
    };
    const options = { withCards: !values["no-cards"], withSubscribers: values.subscribers };
    const stopped = new OutputError("The export was stopped; no exported files were kept.");
    const report = await withAbortOnSignal(stopped, (signal) =>
      exportBlog(platen, requireBlog(platen, values.blog), format, dest, onStep, { ...options, signal }),
    )
      .catch((error) => {
        throw error instanceof OutputError ? new CommandError(error.message) : error;
      })
      .finally(() => showStatus(""));
    if (values.json) await print(JSON.stringify(report));
    else {
      const parts = countedParts(report) || "only settings, because the blog is empty";
      const lost = unsupportedLines(report.lost).map((line) => `  ${line}`);
      await print([`Wrote ${parts}.`, ...(lost.length > 0 ? ["", "Not exported:", ...lost] : [])].join("\n"));
      for (const error of report.errors) console.error(error);
    }
    return report.errors.length > 0 ? EXIT_FAILURE : 0;
  },
);
