import { counted } from "../../../text/numbers";

/** Of each kind, so many are told one by one; the others are counted. */
const MOST_TOLD = 1000;
/** Of what is lost, so many items each. */
const MOST_NAMED = 200;

/** What came of an import, or would. */
export interface ImportReport {
  posts: number;
  pages: number;
  /** Of those two, the ones that readers do not see. */
  unpublished: number;
  /** Of those that are published, the ones whose time is yet to come. */
  scheduled: number;
  komments: number;
  messages: number;
  /** Former versions of posts. */
  revisions: number;
  /** Pictures and films that were taken in; in a dry run, that are in the source. */
  files: number;
  /** In a dry run: pictures and films that would be fetched from where they are. */
  toFetch: number;
  /** Posts that an earlier import has brought. */
  known: number;
  /** Addresses that are others here, the former ones leading to them: "2013/05/tea → tea". */
  changedAddresses: Told;
  missingFiles: Told;
  /** What could not be read, and why. */
  faults: Told;
  /** What no post here can have, in words, and how often it was met. */
  lost: Map<string, Told>;
}

export class Told {
  total = 0;
  readonly lines: string[] = [];

  add(line: string): void {
    this.total++;
    if (this.lines.length < MOST_TOLD) this.lines.push(line);
  }
}

export function newReport(): ImportReport {
  return {
    ...{
      posts: 0,
      pages: 0,
      unpublished: 0,
      scheduled: 0,
      komments: 0,
      messages: 0,
      revisions: 0,
      files: 0,
      toFetch: 0,
      known: 0,
    },
    ...{ changedAddresses: new Told(), missingFiles: new Told(), faults: new Told(), lost: new Map() },
  };
}

/** "3 posts, 0 pages, 2 komments, 1 file", and what few formats have where there is any. */
export function broughtWords({ posts, pages, komments, files, messages, revisions }: PlainCounts): string {
  const parts = [counted(posts, "post"), counted(pages, "page"), counted(komments, "komment")];
  parts.push(counted(files, "file"));
  if (messages > 0) parts.push(counted(messages, "message"));
  if (revisions > 0) parts.push(counted(revisions, "revision"));
  return parts.join(", ");
}

type PlainCounts = Pick<ImportReport, "posts" | "pages" | "komments" | "files" | "messages" | "revisions">;

/** @param name of the item it is lost of */
export function countLost({ lost }: ImportReport, what: string, name?: string, times = 1): void {
  const told = lost.getOrInsertComputed(what, () => new Told());
  told.total += times;
  if (name !== undefined && told.lines.length < MOST_NAMED && told.lines.at(-1) !== name)
    told.lines.push(name);
}

/** As it goes from one process to another. */
export function plainReport({ lost, ...report }: ImportReport) {
  const entries = [...lost];
  return {
    ...report,
    lost: Object.fromEntries(entries.map(([what, { total }]) => [what, total])),
    /** The items that each of it is lost of. */
    lostOf: Object.fromEntries(entries.map(([what, { lines }]) => [what, lines])),
  };
}

export type PlainReport = ReturnType<typeof plainReport>;
