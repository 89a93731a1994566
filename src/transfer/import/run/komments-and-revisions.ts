import { eq } from "drizzle-orm";
import { posts } from "../../../database/schema";
import { inSharedTransaction } from "../../../database/transactions";
import { Refusal } from "../../../errors";
import {
  type ImportedKomment,
  importKomments,
  type PreparedKomment,
  prepareKomment,
} from "../../../komments/importing-komments";
import type { Platen } from "../../../platen";
import type { PostRow } from "../../../posts/post/post";
import { type ImportedRevision, importRevisions } from "../../../posts/revisions/storing-revisions";
import type { ItemError } from "../items/imported-item";
import { addRecord, findRecord, type ImportRow, removeRecord } from "./import-records";
import { retryWhileBusy } from "./item-processing";

/** A komment or previous version of a post. A post may have thousands. */
export type HistoryEntry = { version: ImportedRevision } | { komment: ImportedKomment };

/** Maximum number of entries in a transaction. Small transactions keep the server responsive. */
const MAX_PER_TRANSACTION = 100;
/** Maximum length of the previous versions in a transaction, in characters. */
const MAX_LENGTH_PER_TRANSACTION = 200_000;

export interface HistorySlice {
  belongings: HistoryEntry[];
  /** Index of the first entry. */
  from: number;
  /** Index after the last entry. */
  end: number;
}

export interface HistoryBatch extends Omit<HistorySlice, "belongings"> {
  versions: ImportedRevision[];
  komments: PreparedKomment[];
  /** Invalid komments. */
  faults: ItemError[];
}

/** Stores how many entries of a post are imported, so that an interrupted import continues there. */
export interface BatchCursor {
  reached(): number | undefined;
  /** @param post undefined if the post has been deleted */
  keep(reached: number, post: PostRow | undefined): void;
}

export function isBatchFull(belongings: HistoryEntry[]): boolean {
  const lengths = belongings.map((one) =>
    "version" in one ? String(one.version.fields.source ?? "").length : 0,
  );
  return (
    belongings.length >= MAX_PER_TRANSACTION ||
    lengths.reduce((sum, length) => sum + length, 0) >= MAX_LENGTH_PER_TRANSACTION
  );
}

export async function prepareBatch({ belongings, from, end }: HistorySlice): Promise<HistoryBatch> {
  const piece: HistoryBatch = { versions: [], komments: [], faults: [], from, end };
  for (const one of belongings)
    if ("version" in one) piece.versions.push(one.version);
    else await addKomment(piece, one.komment);
  return piece;
}

async function addKomment({ komments, faults }: HistoryBatch, komment: ImportedKomment): Promise<void> {
  try {
    komments.push(await retryWhileBusy(() => prepareKomment(komment)));
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "invalid") throw error;
    faults.push({ name: komment.name || "unknown", why: error.message });
  }
}

/** Writes a batch unless another run has written it. @returns whether the batch was written */
export function writeBatch(
  platen: Platen,
  postId: number | undefined,
  piece: HistoryBatch,
  place: BatchCursor,
): Promise<boolean> {
  const write = () => {
    if (place.reached() !== piece.from) return false;
    const post =
      postId === undefined ? undefined : platen.db.select().from(posts).where(eq(posts.id, postId)).get();
    if (post) insertBatch(platen, post, piece);
    place.keep(piece.end, post);
    return post !== undefined;
  };
  return retryWhileBusy(() => inSharedTransaction(platen, write));
}

/** Call it in the transaction that writes the post, or in a later one. */
function insertBatch(platen: Platen, post: PostRow, { versions, komments }: HistoryBatch): void {
  importRevisions(platen, post.id, versions);
  importKomments(platen, post, komments);
}

/** Call it in the transaction that writes the post. */
export function insertFirstBatch(
  platen: Platen,
  run: ImportRow,
  name: string,
  post: PostRow,
  first: HistoryBatch,
  all: HistoryEntry[],
): void {
  insertBatch(platen, post, first);
  createCursor(platen, run, name, all).keep(first.end, post);
}

/** Number of entries written for an incomplete item; undefined for other items. */
export function countWritten(platen: Platen, { blogId }: ImportRow, name: string): number | undefined {
  return findRecord(platen, blogId, "rest", name);
}

export function takeBatch(all: HistoryEntry[], from: number): Promise<HistoryBatch> {
  let end = from;
  while (end < all.length && !isBatchFull(all.slice(from, end))) end++;
  return prepareBatch({ belongings: all.slice(from, end), from, end });
}

export async function writeRemainingBatches(
  platen: Platen,
  run: ImportRow,
  name: string,
  all: HistoryEntry[],
  onWritten: (piece: HistoryBatch) => void,
): Promise<void> {
  const place = createCursor(platen, run, name, all);
  for (let from = place.reached(); from !== undefined; from = place.reached()) {
    const piece = await takeBatch(all, from);
    const postId = findRecord(platen, run.blogId, "post", name);
    if (await writeBatch(platen, postId, piece, place)) onWritten(piece);
  }
}

function createCursor(platen: Platen, run: ImportRow, name: string, all: HistoryEntry[]): BatchCursor {
  return {
    reached: () => countWritten(platen, run, name),
    keep(reached, post) {
      if (post && reached < all.length) addRecord(platen, run, "rest", name, reached);
      else removeRecord(platen, run.blogId, "rest", name);
    },
  };
}
