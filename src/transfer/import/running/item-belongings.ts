import { eq } from "drizzle-orm";
import { posts } from "../../../database/schema";
import { inSharedTransaction } from "../../../database/transactions";
import { Refusal } from "../../../errors";
import {
  type FormerKomment,
  type ReadyKomment,
  readyKomment,
  takeOverKomments,
} from "../../../komments/taking-over";
import type { Platen } from "../../../platen";
import { type FormerRevision, takeOverRevisions } from "../../../posts/parts/revisions";
import type { PostRow } from "../../../posts/post/post";
import type { ItemFault } from "../items/imported-item";
import { forgetMade, type ImportRow, madeBefore, recordMade } from "./import-rows";

/** What belongs to a post and may be much: its former versions, then its komments, each the oldest first. */
export type Belonging = { version: FormerRevision } | { komment: FormerKomment };

/** Written in one transaction, so that nobody waits long for its end. */
const MOST_AT_ONCE = 100;
/** In characters, of former versions. */
const LONGEST_AT_ONCE = 200_000;

/** Some of an item's belongings, as they are kept. */
export interface Piece {
  versions: FormerRevision[];
  komments: ReadyKomment[];
  /** Of komments that cannot be kept. */
  faults: ItemFault[];
  /** How many come before what follows it. */
  end: number;
}

/** Those that are written at one time. @param from how many are written already */
export async function readyPiece(belongings: Belonging[], from: number): Promise<Piece> {
  const piece: Piece = { versions: [], komments: [], faults: [], end: from };
  let length = 0;
  for (const one of belongings.slice(from, from + MOST_AT_ONCE)) {
    if ("version" in one) {
      length += String(one.version.fields.source ?? "").length;
      if (length > LONGEST_AT_ONCE && piece.end > from) break;
      piece.versions.push(one.version);
    } else await addKomment(piece, one.komment);
    piece.end++;
  }
  return piece;
}

async function addKomment({ komments, faults }: Piece, komment: FormerKomment): Promise<void> {
  try {
    komments.push(await readyKomment(komment));
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    faults.push({ name: komment.name || "somebody", why: fault.message });
  }
}

/** To be called in the transaction that writes the item of this name, with its first piece. */
export function takeOverFirst(
  platen: Platen,
  run: ImportRow,
  name: string,
  post: PostRow,
  first: Piece,
  all: Belonging[],
): void {
  takeOver(platen, post, first);
  keepPlace(platen, run, name, first, all);
}

/** How many of its belongings are there, of an item that was not brought whole; undefined of any other. */
export function broughtOf(platen: Platen, { blogId }: ImportRow, name: string): number | undefined {
  return madeBefore(platen, blogId, "rest", name);
}

/**
 * Writes what is left of an item's belongings, piece by piece; cut off, or done by two at once, each is written once.
 * @param onWritten is given what this call has written
 */
export async function bringRest(
  platen: Platen,
  run: ImportRow,
  name: string,
  all: Belonging[],
  onWritten: (piece: Piece) => void,
): Promise<void> {
  for (let from = broughtOf(platen, run, name); from !== undefined; from = broughtOf(platen, run, name)) {
    const before = from;
    const piece = await readyPiece(all, before);
    const isWritten = await inSharedTransaction(platen, () => {
      if (broughtOf(platen, run, name) !== before) return false;
      const post = postNamed(platen, run, name);
      if (post) takeOver(platen, post, piece);
      // Where the post has gone meanwhile there is nothing to write the others to.
      keepPlace(platen, run, name, piece, post ? all : []);
      return post !== undefined;
    });
    if (isWritten) onWritten(piece);
  }
}

function keepPlace(platen: Platen, run: ImportRow, name: string, { end }: Piece, all: Belonging[]): void {
  if (end < all.length) recordMade(platen, run, "rest", name, end);
  else forgetMade(platen, run.blogId, "rest", name);
}

function takeOver(platen: Platen, post: PostRow, { versions, komments }: Piece): void {
  takeOverRevisions(platen, post.id, versions);
  takeOverKomments(platen, post, komments);
}

function postNamed(platen: Platen, { blogId }: ImportRow, name: string): PostRow | undefined {
  const id = madeBefore(platen, blogId, "post", name);
  return id === undefined ? undefined : platen.db.select().from(posts).where(eq(posts.id, id)).get();
}
