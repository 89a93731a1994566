import { type Blog, blogById } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { counted, grouped } from "../../text/numbers";
import { restoreArchive, tryArchive } from "../../transfer/import/archive/restore-archive";
import { platen as archive, demandFormat, FORMATS, formatOf } from "../../transfer/import/formats/formats";
import type { ImportRow } from "../../transfer/import/run/import-records";
import {
  broughtWords,
  type ImportReport,
  plainReport,
  type Told,
} from "../../transfer/import/run/import-report";
import { importAll, tryImport } from "../../transfer/import/run/import-run";
import { openSource } from "../../transfer/import/sources/open-source";
import { type Source, SourceFault, type Work } from "../../transfer/import/sources/source";
import { type Command, command } from "../shell/command";
import { ArgumentFault, CommandFault, confirmedCommand, isNoRoom } from "../shell/command-faults";
import { blog } from "../shell/common-options";
import { withPlaten } from "../shell/data-folder";
import { blogNamed } from "../shell/named-rows";
import { print } from "../shell/printing";

/** Of each list, unless all are asked for. */
const SHOWN = 10;
/** Items that something is lost of, likewise. */
const NAMED = 3;
/** In milliseconds. */
const PROGRESS_EVERY = 500;

/** @param name of the format; undefined: it is to be told by looking */
export function importCommand(name?: string): Command {
  const format = FORMATS.find((one) => one.name === name);
  return command(
    {
      does: format ? `bring in ${format.brings}` : "bring in whatever it is, told by looking",
      operand: { name: "PATH", isNeeded: true },
      options: {
        blog,
        "dry-run": { type: "boolean", does: "write nothing, and say what would come" },
        media: {
          type: "string",
          value: "DIR",
          does: "where a copy of the old site's pictures and films lies",
        },
        site: {
          type: "string",
          value: "URL",
          does: "the old site's address, where what is there does not say it",
        },
        "no-fetch": { type: "boolean", does: "fetch no pictures: those that are not there stay links" },
        "as-author": {
          type: "boolean",
          does: "fetch nothing from private hosts, whatever PLATEN_PRIVATE_HOSTS",
        },
        partial: { type: "boolean", does: "import what is there of a WordPress file that ends early" },
        json: { type: "boolean", does: "print what came of it as JSON, and on standard error how far it is" },
        all: { type: "boolean", does: "say everything one by one, however much it is" },
      },
    },
    async ({ operand, values }) => {
      await withPlaten(values.data, (platen) =>
        withSources([operand, values.media], async ([source, media]) => {
          const wish = {
            blog: blogNamed(platen, values.blog),
            source: source as Source,
            media: media ?? null,
            site: siteIn(values.site),
            format: format ? await demandFormat(source as Source, format) : await formatOf(source as Source),
            mayFetch: !values["no-fetch"],
            isForAuthor: values["as-author"],
            isPartial: values.partial,
            onProgress: values.json ? progressLines() : showProgress,
          };
          const isArchive = wish.format === archive;
          if (values["dry-run"])
            await say(await (isArchive ? tryArchive : tryImport)(platen, wish), null, values);
          else await bringIn(platen, wish, values);
        }),
      );
    },
  );
}

/** @throws ArgumentFault */
function siteIn(text: string | undefined): string | null {
  const url = text === undefined ? null : URL.parse(text);
  if (text !== undefined && !/^https?:$/.test(url?.protocol ?? ""))
    throw new ArgumentFault(`--site is "${text}"; it must be like https://example.com`);
  return url && (url.href.endsWith("/") ? url.href : `${url.href}/`);
}

async function bringIn(platen: Platen, wish: Parameters<typeof importAll>[1], values: Saying): Promise<void> {
  const bring = wish.format === archive ? restoreArchive : importAll;
  const { report, run } = await bring(platen, wish).catch((fault) => {
    if (!blogById(platen, wish.blog.id)) throw removedMeanwhile(wish.blog);
    throw isNoRoom(fault) ? diskFull() : fault;
  });
  await say(report, run, values);
}

/** Whatever was being written then failed. */
function removedMeanwhile({ slug }: Blog): CommandFault {
  return new CommandFault(`The blog ${slug} was removed meanwhile, with all that was brought into it.`);
}

/** Each post was written whole or not at all, and the next run knows which. */
function diskFull(): CommandFault {
  return new CommandFault(
    "The disk is full: what was brought until then is there. Free some space, then bring the same in again, and the rest comes.",
  );
}

interface Saying {
  all: boolean;
  json: boolean;
  "dry-run": boolean;
  data: string | undefined;
}

async function say(report: ImportReport, run: ImportRow | null, values: Saying): Promise<void> {
  if (values.json) return await print(JSON.stringify({ import: run?.id ?? null, ...plainReport(report) }));
  await sayReport(report, values, values["dry-run"] ? "Would bring" : "Brought");
  if (run) await print(`This is import ${run.id}; to take all of it back: ${undoing(run, values.data)}`);
}

function undoing({ id }: ImportRow, data: string | undefined): string {
  return confirmedCommand(`platen import undo ${id}`, data);
}

/** Twice a second at most. */
function progressLines(): (report: ImportReport, work: Work) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return ({ posts, pages, komments, files, known }, { done, total }) => {
    if (performance.now() - saidAt < PROGRESS_EVERY) return;
    saidAt = performance.now();
    console.error(JSON.stringify({ posts, pages, komments, files, known, done, total }));
  };
}

/** @throws CommandFault for what cannot be read */
async function withSources(
  paths: (string | undefined)[],
  work: (sources: (Source | undefined)[]) => Promise<void>,
): Promise<void> {
  const sources: (Source | undefined)[] = [];
  try {
    for (const path of paths) sources.push(path === undefined ? undefined : await openSource(path));
    await work(sources);
  } catch (fault) {
    throw fault instanceof SourceFault ? new CommandFault(fault.message) : fault;
  } finally {
    clearProgress();
    for (const source of sources) source?.close();
  }
}

/** On a terminal only: one line, overwritten by the next. */
function showProgress({ posts, pages, files, known }: ImportReport, { done, total }: Work): void {
  if (!process.stderr.isTTY) return;
  const share = total > 0 ? `${Math.floor((100 * done) / total)} %: ` : "";
  const before = known > 0 ? `, ${grouped(known)} here already` : "";
  process.stderr.write(
    `\r\x1b[K${share}${counted(posts + pages, "post")}, ${counted(files, "file")}${before} …`,
  );
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
}

async function sayReport(report: ImportReport, { all }: { all: boolean }, verb: string): Promise<void> {
  clearProgress();
  const { unpublished, scheduled, toFetch, known } = report;
  const lines = [`${verb} ${broughtWords(report)}.`];
  if (toFetch > 0) lines.push(`${counted(toFetch, "more file")} would be fetched.`);
  if (unpublished > 0) lines.push(`${grouped(unpublished)} of them readers do not see, as before.`);
  if (scheduled > 0)
    lines.push(`${grouped(scheduled)} of them will come out later: their times are yet to come.`);
  if (known > 0)
    lines.push(
      `${counted(known, "post")} had been brought before and ${known === 1 ? "was" : "were"} left alone.`,
    );
  lines.push(...told("Addresses that change, and lead on", report.changedAddresses, all));
  lines.push(...told("Pictures and films that are missing", report.missingFiles, all));
  lines.push(...told("Could not be read", report.faults, all));
  if (report.lost.size > 0) lines.push("", "What could not be kept:");
  for (const [what, { total, lines: names }] of report.lost) {
    lines.push(`  ${grouped(total)} × ${what}`);
    const shown = all ? names : names.slice(0, NAMED);
    const more = names.length > shown.length ? ` and ${grouped(names.length - shown.length)} more` : "";
    if (shown.length > 0) lines.push(`      in ${shown.join(", ")}${more}`);
  }
  await print(lines.join("\n"));
}

function told(heading: string, { total, lines }: Told, all: boolean): string[] {
  if (total === 0) return [];
  const shown = all ? lines : lines.slice(0, SHOWN);
  const more = total - shown.length;
  return [
    "",
    `${heading}: ${grouped(total)}`,
    ...shown.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${grouped(more)} more`] : []),
  ];
}
