import type { PostChanges } from "../../../posts/writing/post-input";
import { counted } from "../../../text/numbers";

/** Per list. Further lines are only counted. */
const MAX_LINES = 1000;
const MAX_NAMES = 200;
const MAX_KINDS = 200;

export class ReportList {
  total = 0;
  readonly lines: string[] = [];

  add(line: string): void {
    this.total++;
    if (this.lines.length < MAX_LINES) this.lines.push(shorten(line));
  }
}

const MAX_LENGTH = 500;

/** Names and URLs in an export can be a megabyte long. The end of a line contains the reason. */
function shorten(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, 300)} … ${text.slice(-150)}` : text;
}

export class ImportReport {
  posts = 0;
  pages = 0;
  /** Posts and pages that are drafts or archived. */
  unpublished = 0;
  scheduled = 0;
  komments = 0;
  messages = 0;
  revisions = 0;
  subscribers = 0;
  /** Imported images and videos. In a preview, the files that need no download. */
  files = 0;
  toFetch = 0;
  /** Posts and pages that were imported before, or that the blog still has. */
  known = 0;
  readonly changedAddresses = new ReportList();
  readonly missingFiles = new ReportList();
  readonly errors = new ReportList();
  readonly lost = new Map<string, ReportList>();
}

const ITEMS = ["post", "page", "komment", "file", "message", "revision", "subscriber"] as const;
const RARE_ITEMS: readonly string[] = ["message", "revision", "subscriber"];
type Counts = Record<`${(typeof ITEMS)[number]}s`, number>;

export function importSummary(counts: Counts): string {
  const named = ITEMS.filter((item) => counts[`${item}s`] > 0 || !RARE_ITEMS.includes(item));
  return named.map((item) => counted(counts[`${item}s`], item)).join(", ");
}

export function isNothingNew(counts: Counts & { known: number }): boolean {
  return counts.known > 0 && ITEMS.every((item) => counts[`${item}s`] === 0);
}

type CountedPost = Pick<PostChanges, "type" | "status" | "publishedAt">;

export function countPost(report: ImportReport, { type, status, publishedAt }: CountedPost, at: Date): void {
  report[`${type ?? "post"}s`]++;
  if (status !== "published") report.unpublished++;
  else if (publishedAt && publishedAt > at) report.scheduled++;
}

export function countLost({ lost }: ImportReport, description: string, name?: string, times = 1): void {
  const kind = shorten(description);
  const isListed = lost.has(kind) || lost.size < MAX_KINDS;
  const list = lost.getOrInsertComputed(isListed ? kind : "other content", () => new ReportList());
  list.total += times;
  const shown = name && shorten(name);
  if (shown && list.lines.length < MAX_NAMES && list.lines.at(-1) !== shown) list.lines.push(shown);
}

export function serializeReport({ lost, ...report }: ImportReport) {
  const entries = [...lost];
  return {
    ...report,
    lost: Object.fromEntries(entries.map(([description, { total }]) => [description, total])),
    lostOf: Object.fromEntries(entries.map(([description, { lines }]) => [description, lines])),
  };
}

export type SerializedReport = ReturnType<typeof serializeReport>;

export interface UndoneImport {
  posts: number;
  files: number;
}

export function undoSummary({ posts, files }: UndoneImport): string {
  return `${counted(posts, "post")}, ${counted(files, "file")}`;
}
