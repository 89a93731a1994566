import { count, eq } from "drizzle-orm";
import { komments, posts, revisions } from "../../../database/schema";
import { inSharedTransaction } from "../../../database/transactions";
import {
  type FormerKomment,
  type ReadyKomment,
  readyKomment,
  takeOverKomments,
} from "../../../komments/taking-over";
import { type FormerRevision, takeOverRevisions } from "../../../posts/parts/revisions";
import type { PostRow } from "../../../posts/post/post";
import { forgetMade, madeBefore, recordMade } from "../running/import-rows";
import { ordered, severalAtOnce } from "../running/several-at-once";
import { isFields, isSoundVersion, text, time, timeOrNull } from "./archive-fields";
import type { FileNames } from "./archive-files";
import { type AboutArchive, linesIn } from "./archive-lines";
import { orReported, postHere, postKey, type Restoring } from "./restoration";

/** Lines that are written in one transaction, so that nobody waits long for its end. */
const LINES_AT_ONCE = 100;
/** In characters, of former versions. */
const LONGEST_AT_ONCE = 200_000;

const PATHS = ["komments.jsonl", "revisions.jsonl"] as const;

/** Of a post that is brought anew, whatever was brought of one before it. To be called in the transaction that writes it. */
export function forgetLines({ platen, blog, about }: Restoring, post: unknown): void {
  for (const path of PATHS) forgetMade(platen, blog.id, "rest", linesName(path, about, post));
}

function linesName(path: (typeof PATHS)[number], { id }: AboutArchive, post: unknown): string {
  return `${path} ${postKey(id, { id: post })}`;
}

/** Lines of one post, as many as are written at one time. */
interface Lines {
  postId: number;
  /** Names what was brought of them. */
  name: string;
  /** How many of the post's come before. */
  from: number;
  lines: Record<string, unknown>[];
}

/**
 * The lines of each post together, as they stand in the archive; without those that were brought before.
 * @param countOf how many there are of a post whose were brought by a Platen that kept no count
 */
async function* newLines(
  at: Restoring,
  path: (typeof PATHS)[number],
  countOf: (postId: number) => number,
): AsyncGenerator<Lines> {
  let [post, left]: [unknown, number] = [undefined, 0];
  let piece: Lines | undefined;
  for await (const line of linesIn(at.source, path)) {
    if (!line) {
      at.report.faults.add(`A line of ${path}: it cannot be read.`);
      continue;
    }
    if (line.post !== post) {
      if (piece && piece.lines.length > 0) yield piece;
      post = line.post;
      piece = beginningOf(at, linesName(path, at.about, post), post, countOf);
      left = piece?.from ?? 0;
    }
    if (left > 0) left--;
    else piece?.lines.push(line);
    if (piece && isFull(piece)) {
      yield piece;
      piece = { ...piece, from: piece.from + piece.lines.length, lines: [] };
    }
  }
  if (piece && piece.lines.length > 0) yield piece;
}

function beginningOf(
  at: Restoring,
  name: string,
  post: unknown,
  countOf: (postId: number) => number,
): Lines | undefined {
  const postId = postHere(at, post);
  return postId === undefined
    ? undefined
    : { postId, name, from: restBefore(at, name) ?? countOf(postId), lines: [] };
}

function isFull({ lines }: Lines): boolean {
  const said = lines.map(({ fields }) => (isFields(fields) ? text(fields.source).length : 0));
  return lines.length >= LINES_AT_ONCE || said.reduce((sum, one) => sum + one, 0) >= LONGEST_AT_ONCE;
}

function restBefore({ platen, blog }: Restoring, name: string): number | undefined {
  return madeBefore(platen, blog.id, "rest", name);
}

/** In one transaction, and never twice. @returns whether it was written */
function takeInLines(at: Restoring, { postId, name, from, lines }: Lines, write: (post: PostRow) => void) {
  const { platen, run } = at;
  return inSharedTransaction(platen, () => {
    const before = restBefore(at, name);
    const post = platen.db.select().from(posts).where(eq(posts.id, postId)).get();
    if (!post || (before !== undefined && before !== from)) return false;
    write(post);
    recordMade(platen, run, "rest", name, from + lines.length);
    return true;
  });
}

export async function restoreKomments(at: Restoring): Promise<void> {
  const { platen, report } = at;
  const countOf = (id: number) =>
    platen.db.select({ n: count() }).from(komments).where(eq(komments.postId, id)).get()?.n ?? 0;
  await eachInOrder(newLines(at, "komments.jsonl", countOf), async (piece) => {
    const ready: (ReadyKomment & { editedAt: Date | null })[] = [];
    for (const line of piece.lines)
      await orReported(at, `A komment of ${text(line.name)}`, async () => {
        const komment = await readyKomment(kommentIn(line, at.run.startedAt));
        ready.push({ ...komment, editedAt: timeOrNull(line.edited_at) });
      });
    if (await takeInLines(at, piece, (post) => takeOverKomments(platen, post, ready)))
      report.komments += ready.length;
    at.onProgress();
  });
}

/** @param at where it does not say when it was written */
function kommentIn(line: Record<string, unknown>, at: Date): FormerKomment {
  const { status, answer } = line;
  return {
    ...{ name: text(line.name), address: text(line.address), text: text(line.text) },
    status: status === "shown" || status === "refused" ? status : "waiting",
    at: time(line.at, at),
    ...(isFields(answer) && { answer: { text: text(answer.text), at: time(answer.at, at) } }),
  };
}

export async function restoreRevisions(at: Restoring, names: FileNames): Promise<void> {
  const { platen, report } = at;
  const countOf = (id: number) =>
    platen.db.select({ n: count() }).from(revisions).where(eq(revisions.postId, id)).get()?.n ?? 0;
  await eachInOrder(newLines(at, "revisions.jsonl", countOf), async (piece) => {
    const former = piece.lines.map((line) => formerIn(line, names)).filter((one) => one !== null);
    for (let faulty = former.length; faulty < piece.lines.length; faulty++)
      report.faults.add("A former version of a post: it cannot be read.");
    if (await takeInLines(at, piece, (post) => takeOverRevisions(platen, post.id, former)))
      report.revisions += former.length;
    at.onProgress();
  });
}

/** Those of one post one after the other. */
function eachInOrder(pieces: AsyncIterable<Lines>, work: (piece: Lines) => Promise<void>): Promise<void> {
  const inOrder = ordered();
  return severalAtOnce(pieces, (piece) => inOrder([piece.name], () => work(piece)));
}

function formerIn(line: Record<string, unknown>, names: FileNames): FormerRevision | null {
  const replacedAt = timeOrNull(line.replaced_at);
  const fields = names.inValue(line.fields);
  return replacedAt && isSoundVersion(fields) ? { replacedAt, fields } : null;
}
