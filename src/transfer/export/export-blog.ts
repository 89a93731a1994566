import type { Blog } from "../../blogs/blogs";
import { errorCode } from "../../errors";
import { mediaTotalsOf } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { countPosts, STATUSES, TYPES } from "../../posts/lists/selecting-and-paging";
import { counted } from "../../text/numbers";
import { type Output, OutputError, openOutput } from "./output/output";

export interface ExportFormat {
  readonly name: string;
  /** Always writes one archive file. Other formats write a folder unless the destination ends in ".zip". */
  readonly isArchive: boolean;
  /** The export contains only public content, so other system users may read the files. */
  readonly isPublic?: boolean;
  /** The format can include the newsletter's subscribers. */
  readonly hasSubscribers?: boolean;
  /** The format can include title cards, which are slow to draw. */
  readonly hasCards?: boolean;
  write(platen: Platen, blog: Blog, context: ExportContext): Promise<void>;
}

export interface ExportContext {
  readonly out: Output;
  readonly report: ExportReport;
  readonly work: ExportProgress;
  readonly withCards: boolean;
  readonly withSubscribers: boolean;
  /** Reports progress after each post, page or file. */
  step(): Promise<void>;
}

export interface ExportProgress {
  done: number;
  total: number;
}

export class ExportReport {
  posts = 0;
  pages = 0;
  komments = 0;
  messages = 0;
  revisions = 0;
  /** Number of subscribers. Includes former subscribers, whose addresses are exported as hashes. */
  subscribers = 0;
  files = 0;
  /** Counts of content that the format does not support, by description. */
  readonly lost: Record<string, number> = {};
  /** One sentence for each item that could not be written. */
  readonly errors: string[] = [];
}

export interface ExportOptions {
  withCards?: boolean;
  withSubscribers?: boolean;
  signal?: AbortSignal;
}

const MAX_LISTED = 1000;

/**
 * Writes the whole blog to a new destination. Skips and reports items that cannot be written.
 * @param onStep receives the progress; an error it throws ends the export
 * @param signal ends the export and deletes the partial output
 * @throws OutputError
 */
export async function exportBlog(
  platen: Platen,
  blog: Blog,
  format: ExportFormat,
  destination: string,
  onStep: (report: ExportReport, work: ExportProgress) => Promise<void> | void,
  { withCards = true, withSubscribers = false, signal }: ExportOptions = {},
): Promise<ExportReport> {
  const out = await openOutput(destination, format, signal);
  const report = new ExportReport();
  const posts = countPosts(platen, { blogId: blog.id, statuses: STATUSES, types: TYPES });
  const work = { done: 0, total: posts + mediaTotalsOf(platen, blog).files };
  const step = async () => {
    work.done = Math.min(work.done + 1, work.total);
    await onStep(report, work);
  };
  try {
    await format.write(platen, blog, { out, report, work, withCards, withSubscribers, step });
    await out.finish();
    return report;
  } catch (error) {
    await out.discard();
    throw error;
  }
}

export function countPost(report: ExportReport, { type }: { type: "post" | "page" }): void {
  if (type === "page") report.pages++;
  else report.posts++;
}

/** @param what a plural noun, such as "previous versions" */
export function countUnsupported({ lost }: ExportReport, what: string, times = 1): void {
  if (times > 0) lost[what] = (lost[what] ?? 0) + times;
}

export function unsupportedLines(lost: ExportReport["lost"]): string[] {
  return Object.entries(lost).map(([what, times]) => `${times} × ${what}`);
}

/** "3 posts, 1 page, 2 files"; empty if there was nothing to write. */
export function countedParts(report: ExportReport): string {
  const nouns = ["post", "page", "komment", "message", "revision", "file", "subscriber"] as const;
  const written = nouns.filter((noun) => report[`${noun}s`] > 0);
  return written.map((noun) => counted(report[`${noun}s`], noun)).join(", ");
}

/** Runs `write`. Reports an error of the item under `name`; rethrows errors of the disk or the destination. */
export async function writeOrReport(
  { report }: ExportContext,
  name: string,
  write: () => Promise<void> | void,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    const isDestinationError =
      error instanceof Error && "syscall" in error && errorCode(error) !== "ENOENT" && !isNameError(error);
    if (isDestinationError || error instanceof OutputError || !(error instanceof Error)) throw error;
    const reason = errorCode(error) === "ENOENT" ? "file is missing" : error.message.replace(/\.$/, "");
    if (report.errors.length < MAX_LISTED) report.errors.push(`${name}: ${reason}.`);
  }
}

/** @returns the result of `make` in an array, or an empty array if `make` throws */
export async function makeOrReport<Made>(
  context: ExportContext,
  name: string,
  make: () => Made,
): Promise<Made[]> {
  const made: Made[] = [];
  await writeOrReport(context, name, () => {
    made.push(make());
  });
  return made;
}

/** Writes objects to a JSON Lines file; no file if there are none. @returns the number of lines */
export async function writeJsonLines(
  { out }: ExportContext,
  path: string,
  at: Date,
  rows: Iterable<object> | AsyncIterable<object>,
): Promise<number> {
  let count = 0;
  const lines = (async function* () {
    for await (const row of rows) {
      count++;
      yield `${JSON.stringify(row)}\n`;
    }
  })();
  const first = await lines.next();
  if (first.done) return 0;
  const all = async function* () {
    yield first.value;
    yield* lines;
  };
  await out.text(path, at, all());
  return count;
}

/** True if the file system rejects the name: too long, or a duplicate that differs only in case. */
function isNameError(error: Error): boolean {
  return ["EEXIST", "ENOTDIR", "EISDIR", "ENAMETOOLONG"].includes(errorCode(error));
}
