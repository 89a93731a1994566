import { blogById } from "../blogs/blogs";
import { counted, grouped } from "../text/numbers";
import { platen as archive } from "../transfer/import/archive/archive-reader";
import { previewArchive, restoreArchive } from "../transfer/import/archive/restore-archive";
import { detectFormat, IMPORT_FORMATS } from "../transfer/import/formats/format-list";
import type { ImportFormat } from "../transfer/import/items/imported-item";
import { countRecords, findImport, type ImportRow, listImports } from "../transfer/import/run/import-records";
import type { ImportReport, ReportList } from "../transfer/import/run/import-report";
import { importSummary, serializeReport, undoSummary } from "../transfer/import/run/import-report";
import { importItems, previewImport } from "../transfer/import/run/preview-and-import";
import { countChangedPosts, undoImport } from "../transfer/import/run/undo-import";
import { SourceError } from "../transfer/import/sources/source-files";
import { openSource } from "../transfer/import/sources/zip-and-folder-sources";
import { findScope, folderCommand, listCommand, requireBlog, slugsOfBlogs } from "./shell/command";
import {
  ArgumentError,
  CommandError,
  confirmedCommand,
  explainDiskFull,
  unconfirmed,
} from "./shell/command-errors";
import { createProgressPrinter, showStatus, toRow } from "./shell/terminal";
import { blog, flag, idOf, jsonReport, onlyBlog, option, parsed, yes } from "./shell/usage";

const MAX_LINES = 10;
const MAX_NAMES = 3;

const MARKDOWN_ALIASES = ["hugo", "jekyll", "eleventy"];

export const importBlog = folderCommand(
  {
    help: "import posts and media into a blog",
    operands: [{ name: "FORMAT", parse: parseFormat }, "PATH"],
    options: {
      blog,
      "dry-run": flag("preview: write nothing"),
      media: option("DIR", "folder with the old site's media files"),
      site: parsed("URL", "address of the old site [from the export]", parseSite),
      "no-fetch": flag("keep links to missing media; download nothing"),
      "as-author": flag("ignore PLATEN_PRIVATE_HOSTS when downloading"),
      partial: flag("import a truncated WordPress file"),
      json: jsonReport,
      all: flag("list every item in the report [first 10 of each kind]"),
    },
    formats: {
      auto: "detect the format",
      platen: "Platen's own archive (made by platen export platen)",
      wordpress: "WordPress export (WXR), a file, folder or ZIP",
      markdown: "folder or ZIP of Markdown files",
      [MARKDOWN_ALIASES.join(", ")]: "the same as markdown",
      ghost: "Ghost export (JSON), or a ZIP with content/images",
      feed: "RSS, Atom or JSON Feed file",
      bar: "Micro.blog blog archive (.bar)",
      bear: "Bear Blog export (CSV or Markdown)",
      pagecord: "Pagecord export (Markdown)",
      substack: "Substack export; subscriber lists are not read",
      medium: "Medium export",
    },
  },
  async (platen, { operands: [format, path], values }) => {
    const printProgress = createProgressPrinter();
    try {
      using source = await openSource(path);
      using media = values.media === undefined ? null : await openSource(values.media);
      const request = {
        blog: requireBlog(platen, values.blog),
        ...{ source, media, site: values.site ?? null },
        format: await detectFormat(source, format),
        mayFetch: !values["no-fetch"],
        isForAuthor: values["as-author"],
        isPartial: values.partial,
        onProgress({ posts, pages, komments, files, known }: ImportReport) {
          const skipped = known > 0 ? `, ${grouped(known)} skipped` : "";
          if (values.json) printProgress({ posts, pages, komments, files, known });
          else showStatus(`${counted(posts + pages, "post")}, ${counted(files, "file")}${skipped} …`);
        },
      };
      const isArchive = request.format === archive;
      if (values["dry-run"]) {
        const preview = isArchive ? previewArchive : previewImport;
        return formatReport(await preview(platen, request), null, values);
      }
      const start = isArchive ? restoreArchive : importItems;
      const { report, run } = await start(platen, request).catch((error) => {
        const { id, slug } = request.blog;
        if (blogById(platen, id)) return explainDiskFull(DISK_FULL)(error);
        throw new CommandError(`The blog ${slug} was removed during the import, with everything imported.`);
      });
      return formatReport(report, run, values);
    } catch (error) {
      throw error instanceof SourceError ? new CommandError(error.message) : error;
    } finally {
      showStatus("");
    }
  },
);

function parseFormat(name: string): ImportFormat | null {
  if (name === "auto") return null;
  const formatName = MARKDOWN_ALIASES.includes(name) ? "markdown" : name;
  const format = IMPORT_FORMATS.find((known) => known.name === formatName);
  if (format) return format;
  const names = ["auto", ...IMPORT_FORMATS.map((known) => known.name), ...MARKDOWN_ALIASES].join(", ");
  throw new ArgumentError(`FORMAT is "${name}"; it must be one of ${names}`);
}

function parseSite(text: string, name: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ArgumentError(`${name} is "${text}"; it must be like https://example.com`);
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

const DISK_FULL =
  "The disk is full: the import is incomplete. Free some space, then run the same import again to continue.";

interface ReportOptions {
  all: boolean;
  json: boolean;
  "dry-run": boolean;
  data: string | undefined;
}

function formatReport(report: ImportReport, run: ImportRow | null, values: ReportOptions): string {
  if (values.json) return JSON.stringify({ import: run?.id ?? null, ...serializeReport(report) });
  const lines = reportLines(report, values);
  if (run)
    lines.push(
      `This is import ${run.id}; to undo it: ${confirmedCommand(`platen import undo ${run.id}`, values.data)}`,
    );
  return lines.join("\n");
}

function reportLines(report: ImportReport, { all, "dry-run": isDryRun }: ReportOptions): string[] {
  const { unpublished, scheduled, toFetch, known } = report;
  const lines = [`${isDryRun ? "Would import" : "Imported"} ${importSummary(report)}.`];
  if (toFetch > 0) lines.push(`${counted(toFetch, "more file")} would be downloaded.`);
  if (unpublished > 0)
    lines.push(
      `${counted(unpublished, "post")} ${unpublished === 1 ? "is" : "are"} not public, as in the source.`,
    );
  if (scheduled > 0) lines.push(`${counted(scheduled, "post")} ${scheduled === 1 ? "is" : "are"} scheduled.`);
  if (known > 0) lines.push(`${counted(known, "post")} skipped: already imported.`);
  lines.push(...listLines("Changed addresses (old addresses redirect)", report.changedAddresses, all));
  lines.push(...listLines("Missing media files", report.missingFiles, all));
  lines.push(...listLines("Could not be read", report.errors, all));
  if (report.lost.size > 0) lines.push("", "Not imported:");
  for (const [what, { total, lines: names }] of report.lost) {
    lines.push(`  ${grouped(total)} × ${what}`);
    const shown = all ? names : names.slice(0, MAX_NAMES);
    const more = names.length > shown.length ? ` and ${grouped(names.length - shown.length)} more` : "";
    if (shown.length > 0) lines.push(`      in ${shown.join(", ")}${more}`);
  }
  return lines;
}

function listLines(heading: string, { total, lines }: ReportList, all: boolean): string[] {
  const shown = (all ? lines : lines.slice(0, MAX_LINES)).map((line) => `  ${line}`);
  if (total > shown.length) shown.push(`  and ${grouped(total - shown.length)} more`);
  return total > 0 ? ["", `${heading}: ${grouped(total)}`, ...shown] : [];
}

export const importList = listCommand(
  { help: "list imports, newest first", options: { blog: onlyBlog } },
  ["id", "blog", "format", "source", "posts", "files", "started_at", "finished_at"],
  (platen, { values }) => {
    const slugs = slugsOfBlogs(platen);
    return listImports(platen, findScope(platen, values.blog)).map((run) => ({
      id: run.id,
      blog: slugs.get(run.blogId) ?? "",
      ...toRow(run, ["format", "source"]),
      posts: countRecords(platen, run.id, "post"),
      files: countRecords(platen, run.id, "file"),
      ...toRow(run, ["startedAt", "finishedAt"]),
    }));
  },
);

export const importUndo = folderCommand(
  {
    help: "undo an import: delete everything it created",
    operands: [idOf("import")],
    options: { yes, json: jsonReport },
  },
  async (platen, { values, operands: [id] }) => {
    const run = findImport(platen, id);
    if (!values.yes) {
      const changed = countChangedPosts(platen, run);
      const since = changed > 0 ? ` (${changed} changed since)` : "";
      const posts = `${counted(countRecords(platen, id, "post"), "post")}${since}`;
      const files = counted(countRecords(platen, id, "file"), "file");
      const effect = `This would permanently delete what import ${id} created: ${posts} and ${files}, with all komments`;
      throw unconfirmed(effect, `platen import undo ${id}`, values.data);
    }
    const printProgress = createProgressPrinter();
    const onStep = (undone: number, of: number) => printProgress({ undone, of }, undone >= of);
    const undone = await undoImport(platen, run, values.json ? onStep : undefined);
    return values.json ? JSON.stringify(undone) : `Undone: ${undoSummary(undone)}.`;
  },
);
