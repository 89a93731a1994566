import type { Blog } from "../../blogs/blogs";
import { mediaTotalsOf } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { countPosts } from "../../posts/lists/list-pages";
import { STATUSES, TYPES } from "../../posts/lists/selection";
import { type Output, OutputFault, openOutput } from "./output/output";

/** How a blog is written down. */
export interface ExportFormat {
  /** As it is typed. */
  readonly name: string;
  /** What it makes, to follow "write ". */
  readonly makes: string;
  /** Is it one archive whatever the place is called? Else it is one where that ends in ".zip", and a folder elsewhere. */
  readonly isArchive: boolean;
  /** Is in it only what all may read? Then whoever else is on the machine may, a web server before all. */
  readonly isPublic?: boolean;
  /** Does it hold title cards, which take long to draw? Then it can do without. */
  readonly hasCards?: boolean;
  write(platen: Platen, blog: Blog, writing: Writing): Promise<void>;
}

/** An export under way, to its format. */
export interface Writing {
  readonly out: Output;
  readonly report: ExportReport;
  readonly work: Work;
  /** Whether title cards are wanted, where the format has them. */
  readonly withCards: boolean;
  /** To be awaited after each thing that was written: others have their turn. @param done of the work; a post's without it */
  step(done?: number): Promise<void>;
}

/** How far an export is, in bytes of media. */
export interface Work {
  done: number;
  /** As far as it is known. */
  total: number;
}

/** A post with its komments takes as long as so many bytes of media. */
export const WORK_OF_A_POST = 100_000;

export interface ExportReport {
  posts: number;
  pages: number;
  komments: number;
  messages: number;
  revisions: number;
  files: number;
  /** What the format has no place for, in words that many share, and how often it was met. */
  lost: Record<string, number>;
  /** What could not be written, and why, a sentence each; the rest is there. */
  faults: string[];
}

/** Of faults, so many are told one by one. */
const MOST_TOLD = 1000;

/**
 * Writes everything of the blog to a place where nothing is; a thing that cannot be written is reported, and the rest
 * goes on.
 * @param onStep is told how far it is; what it throws ends the export, and nothing is left
 * @param withCards see `Writing`
 * @param ending aborted with an OutputFault, it ends the export, and nothing is left
 * @throws OutputFault
 */
export async function exportBlog(
  platen: Platen,
  blog: Blog,
  format: ExportFormat,
  place: string,
  onStep: (report: ExportReport, work: Work) => Promise<void> | void,
  { withCards = true, ending }: { withCards?: boolean; ending?: AbortSignal } = {},
): Promise<ExportReport> {
  const out = await openOutput(place, format, ending);
  const report = {
    posts: 0,
    pages: 0,
    komments: 0,
    messages: 0,
    revisions: 0,
    files: 0,
    lost: {},
    faults: [],
  };
  const work = { done: 0, total: workOn(platen, blog) };
  const step = async (done = WORK_OF_A_POST) => {
    work.done = Math.min(work.done + done, work.total);
    await onStep(report, work);
  };
  try {
    await format.write(platen, blog, { out, report, work, withCards, step });
    await out.finish();
    return report;
  } catch (fault) {
    await out.discard();
    throw fault;
  }
}

function workOn(platen: Platen, blog: Blog): number {
  const posts = countPosts(platen, { blogId: blog.id, statuses: STATUSES, types: TYPES });
  return posts * WORK_OF_A_POST + mediaTotalsOf(platen, blog).bytes;
}

/** The same, and how far it is told of as it passes. */
export async function* passing(
  { step }: Writing,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    yield piece;
    await step(piece.length);
  }
}

export function countPost(report: ExportReport, { type }: { type: "post" | "page" }): void {
  if (type === "page") report.pages++;
  else report.posts++;
}

/** @param what in words that follow a number: "former versions" */
export function countLost({ lost }: ExportReport, what: string, times = 1): void {
  if (times > 0) lost[what] = (lost[what] ?? 0) + times;
}

/** "3 × former versions" */
export function lostLines(lost: ExportReport["lost"]): string[] {
  return Object.entries(lost).map(([what, times]) => `${times} × ${what}`);
}

/** Writes one thing. @param name for people @param write throws before it has begun to write: a full disk ends all */
export async function orFault(
  { report }: Writing,
  name: string,
  write: () => Promise<void> | void,
): Promise<void> {
  try {
    await write();
  } catch (fault) {
    const isOfPlace = fault instanceof Error && "syscall" in fault && !isMissing(fault) && !isOfName(fault);
    if (isOfPlace || fault instanceof OutputFault || !(fault instanceof Error)) throw fault;
    const why = isMissing(fault) ? "its file is missing" : fault.message.replace(/\.$/, "");
    if (report.faults.length < MOST_TOLD) report.faults.push(`${name}: ${why}.`);
  }
}

/** What `make` gives, in a list: an empty one where it throws, which is told of. @param name for people */
export async function orNone<Made>(writing: Writing, name: string, make: () => Made): Promise<Made[]> {
  const made: Made[] = [];
  await orFault(writing, name, () => {
    made.push(make());
  });
  return made;
}

/**
 * A file with a line of JSON for each row, where there are any; one row is held at a time.
 * @returns how many there are
 */
export async function writeLines<Row>(
  { out }: Writing,
  path: string,
  at: Date,
  rows: AsyncGenerator<Row>,
  lineOf: (row: Row) => Record<string, unknown>,
): Promise<number> {
  const first = await rows.next();
  if (first.done) return 0;
  let lines = 0;
  const written = (row: Row) => {
    lines++;
    return Buffer.from(`${JSON.stringify(lineOf(row))}\n`);
  };
  const bytes = async function* () {
    yield written(first.value);
    for await (const row of rows) yield written(row);
  };
  await out.text(path, at, bytes());
  return lines;
}

function isMissing(fault: Error): boolean {
  return "code" in fault && fault.code === "ENOENT";
}

/** The disk has no room for the name: one that differs in capitals only is there, a folder is, or it is too long. */
function isOfName(fault: Error): boolean {
  return "code" in fault && /^(?:EEXIST|ENOTDIR|EISDIR|ENAMETOOLONG)$/.test(String(fault.code));
}
