import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { countRows } from "../../database/rows";
import { komments, messages, posts, revisions } from "../../database/schema";
import { errorCode } from "../../errors";
import { mediaTotalsOf } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { countPosts, STATUSES, TYPES } from "../../posts/storage/post-list-queries";
import { counted } from "../../text/numbers";
import { type Output, OutputError, openOutput } from "./zip-and-folder-output";

export interface ExportFormat {
  readonly name: string;
  /** Always writes one archive file. Other formats write a folder unless the destination ends in ".zip". */
  readonly isArchive: boolean;
  /** The export has only public content, so other users of the system may read an exported folder. */
  readonly isPublic?: boolean;
  readonly hasSubscribers?: boolean;
  readonly hasCards?: boolean;
  write(context: ExportContext): Promise<void>;
}

export interface ExportContext {
  readonly platen: Platen;
  readonly blog: Blog;
  readonly out: Output;
  readonly report: ExportReport;
  readonly work: ExportProgress;
  readonly withCards: boolean;
  readonly withSubscribers: boolean;
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
  subscribers = 0;
  files = 0;
  /** Description → number of items with content that the format does not support. */
  readonly lost: Record<string, number> = {};
  readonly errors: string[] = [];
}

const MAX_LISTED = 1000;

/**
 * Skips and reports items that cannot be written. Other errors, also those of `onStep`, end the export.
 * @param signal ends the export and deletes the partial output
 */
export async function exportBlog(
  platen: Platen,
  blog: Blog,
  format: ExportFormat,
  destination: string,
  onStep: (report: ExportReport, work: ExportProgress) => Promise<void> | void,
  options: { withCards?: boolean; withSubscribers?: boolean; signal?: AbortSignal } = {},
): Promise<ExportReport> {
  const { withCards = true, withSubscribers = false, signal } = options;
  const out = await openOutput(destination, format, signal);
  const report = new ExportReport();
  const posts = countPosts(platen, { blogId: blog.id, statuses: STATUSES, types: TYPES });
  const work = { done: 0, total: posts + mediaTotalsOf(platen, blog).files };
  const step = async () => {
    work.done = Math.min(work.done + 1, work.total);
    await onStep(report, work);
  };
  try {
    await format.write({ platen, blog, out, report, work, withCards, withSubscribers, step });
    await out.finish();
    return report;
  } catch (error) {
    await out.discard();
    throw error;
  }
}

export function countPost(report: ExportReport, { type }: { type: "post" | "page" }): void {
  report[`${type}s`]++;
}

export function countUnsupported({ lost }: ExportReport, what: string, times = 1): void {
  if (times > 0) lost[what] = (lost[what] ?? 0) + times;
}

export function unsupportedLines(lost: ExportReport["lost"]): string[] {
  return Object.entries(lost).map(([what, times]) => `${times} × ${what}`);
}

export function countedParts(report: ExportReport): string {
  const nouns = ["post", "page", "komment", "message", "revision", "file", "subscriber"] as const;
  const written = nouns.filter((noun) => report[`${noun}s`] > 0);
  return written.map((noun) => counted(report[`${noun}s`], noun)).join(", ");
}

/** A missing file, or a name that the destination does not accept. */
const ITEM_ERRORS = ["ENOENT", "EEXIST", "ENOTDIR", "EISDIR", "ENAMETOOLONG"];

/**
 * Reports an item's error under `name`. Rethrows errors of the disk or the destination.
 * @returns undefined if an error was reported
 */
export async function tryOrReport<Result>(
  { report }: ExportContext,
  name: string,
  work: () => Promise<Result> | Result,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (!(error instanceof Error) || error instanceof OutputError) throw error;
    if ("syscall" in error && !ITEM_ERRORS.includes(code)) throw error;
    const reason = code === "ENOENT" ? "file is missing" : error.message.replace(/\.$/, "");
    if (report.errors.length < MAX_LISTED) report.errors.push(`${name}: ${reason}.`);
  }
}

type Rows = Iterable<object> | AsyncIterable<object>;

/** Writes no file if there are no objects. @returns the number of lines */
export async function writeJsonLines(context: ExportContext, path: string, at: Date, rows: Rows) {
  const iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  let next = await iterator.next();
  if (next.done) return 0;
  let count = 0;
  const lines = async function* () {
    for (; !next.done; next = await iterator.next()) {
      count++;
      yield `${JSON.stringify(next.value)}\n`;
    }
  };
  await context.out.text(path, at, lines());
  return count;
}

export function countUnsupportedParts({ platen, blog, report }: ExportContext): void {
  const inTrash = and(eq(posts.blogId, blog.id), isNotNull(posts.deletedAt));
  const present = sql`(select id from posts where blog_id = ${blog.id} and deleted_at is null)`;
  const kommentCount = countRows(platen, komments, inArray(komments.postId, present));
  countUnsupported(report, "komments", kommentCount - report.komments);
  const revisionCount = countRows(platen, revisions, inArray(revisions.postId, present));
  countUnsupported(report, "previous versions", revisionCount);
  countUnsupported(report, "contact form messages", countRows(platen, messages, { blogId: blog.id }));
  countUnsupported(report, "posts in the trash", countRows(platen, posts, inTrash));
  countUnsupported(report, "navigation links", blog.navigation.length);
}
