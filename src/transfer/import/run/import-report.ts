import { counted } from "../../../text/numbers";

/** Maximum length of a list in the report. Further lines are only counted. */
const MAX_LINES = 1000;
/** Maximum number of names listed for each kind of unsupported content. */
const MAX_NAMES = 200;

/** Result of an import or a preview. */
export interface ImportReport {
  posts: number;
  pages: number;
  /** Posts and pages that are not public. */
  unpublished: number;
  /** Published posts with a future date. */
  scheduled: number;
  komments: number;
  messages: number;
  revisions: number;
  subscribers: number;
  /** Imported images and videos. In a preview, the files found in the source. */
  files: number;
  /** Number of files to download, in a preview only. */
  toFetch: number;
  /** Posts that an earlier import created. */
  known: number;
  /** Paths that changed and now redirect: "2013/05/tea → tea". */
  changedAddresses: ReportList;
  missingFiles: ReportList;
  errors: ReportList;
  /** Content that cannot be imported, by description. */
  lost: Map<string, ReportList>;
}

export class ReportList {
  total = 0;
  readonly lines: string[] = [];

  add(line: string): void {
    this.total++;
    if (this.lines.length < MAX_LINES) this.lines.push(line);
  }
}

export function createImportReport(): ImportReport {
  return {
    ...{
      posts: 0,
      pages: 0,
      unpublished: 0,
      scheduled: 0,
      komments: 0,
      messages: 0,
      revisions: 0,
      subscribers: 0,
      files: 0,
      toFetch: 0,
      known: 0,
    },
    ...{
      changedAddresses: new ReportList(),
      missingFiles: new ReportList(),
      errors: new ReportList(),
      lost: new Map(),
    },
  };
}

/** Returns "3 posts, 0 pages, 2 komments, 1 file". Omits messages, revisions and subscribers if there are none. */
export function importSummary(counts: PlainCounts): string {
  const { posts, pages, komments, files, messages, revisions, subscribers } = counts;
  const parts = [counted(posts, "post"), counted(pages, "page"), counted(komments, "komment")];
  parts.push(counted(files, "file"));
  if (messages > 0) parts.push(counted(messages, "message"));
  if (revisions > 0) parts.push(counted(revisions, "revision"));
  if (subscribers > 0) parts.push(counted(subscribers, "subscriber"));
  return parts.join(", ");
}

type PlainCounts = Pick<
  ImportReport,
  "posts" | "pages" | "komments" | "files" | "messages" | "revisions" | "subscribers"
>;

/** @param name name of the item */
export function countLost({ lost }: ImportReport, description: string, name?: string, times = 1): void {
  const list = lost.getOrInsertComputed(description, () => new ReportList());
  list.total += times;
  if (name !== undefined && list.lines.length < MAX_NAMES && list.lines.at(-1) !== name)
    list.lines.push(name);
}

/** JSON for `--json` and the admin. */
export function serializeReport({ lost, ...report }: ImportReport) {
  const entries = [...lost];
  return {
    ...report,
    lost: Object.fromEntries(entries.map(([description, { total }]) => [description, total])),
    lostOf: Object.fromEntries(entries.map(([description, { lines }]) => [description, lines])),
  };
}

export type SerializedReport = ReturnType<typeof serializeReport>;
