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
import type { ItemFault } from "../items/imported-item";
import { forgetMade, type ImportRow, madeBefore, recordMade } from "./import-records";
import { patiently } from "./item-processing";

/** What belongs to a post and may be much. */
export type Belonging = { version: ImportedRevision } | { komment: ImportedKomment };

/** Written in one transaction, so that nobody waits long for its end. */
const MOST_AT_ONCE = 100;
/** In characters, of former versions. */
const LONGEST_AT_ONCE = 200_000;

/** Some of a post's belongings. */
export interface Part {
  belongings: Belonging[];
  /** How many come before it. */
  from: number;
  /** How many come before what follows it. */
  end: number;
}

/** A part as it is kept. */
export interface Piece extends Omit<Part, "belongings"> {
  versions: ImportedRevision[];
  komments: PreparedKomment[];
  /** Of komments that cannot be kept. */
  faults: ItemFault[];
}

/** How many of a post's belongings are there; only what comes next is written. */
export interface Place {
  reached(): number | undefined;
  /** @param post undefined: it has gone, and there is nothing to write the others to */
  keep(reached: number, post: PostRow | undefined): void;
}

/** Is it as much as is written at one time? */
export function isPiece(belongings: Belonging[]): boolean {
  const lengths = belongings.map((one) =>
    "version" in one ? String(one.version.fields.source ?? "").length : 0,
  );
  return (
    belongings.length >= MOST_AT_ONCE || lengths.reduce((sum, length) => sum + length, 0) >= LONGEST_AT_ONCE
  );
}

export async function readyPiece({ belongings, from, end }: Part): Promise<Piece> {
  const piece: Piece = { versions: [], komments: [], faults: [], from, end };
  for (const one of belongings)
    if ("version" in one) piece.versions.push(one.version);
    else await addKomment(piece, one.komment);
  return piece;
}

async function addKomment({ komments, faults }: Piece, komment: ImportedKomment): Promise<void> {
  try {
    komments.push(await patiently(() => prepareKomment(komment)));
  } catch (fault) {
    if (!(fault instanceof Refusal) || fault.kind !== "invalid") throw fault;
    faults.push({ name: komment.name || "somebody", why: fault.message });
  }
}

/** In one transaction; cut off, or done by two at once, it is written once. @returns whether this call has written it */
export function writePiece(
  platen: Platen,
  postId: number | undefined,
  piece: Piece,
  place: Place,
): Promise<boolean> {
  const write = () => {
    if (place.reached() !== piece.from) return false;
    const post =
      postId === undefined ? undefined : platen.db.select().from(posts).where(eq(posts.id, postId)).get();
    if (post) takeOverPiece(platen, post, piece);
    place.keep(piece.end, post);
    return post !== undefined;
  };
  return patiently(() => inSharedTransaction(platen, write));
}

/** To be called in the transaction that writes the post, or after it. */
export function takeOverPiece(platen: Platen, post: PostRow, { versions, komments }: Piece): void {
  importRevisions(platen, post.id, versions);
  importKomments(platen, post, komments);
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
  takeOverPiece(platen, post, first);
  placeIn(platen, run, name, all).keep(first.end, post);
}

/** How many of its belongings are there, of an item that was not brought whole; undefined of any other. */
export function broughtOf(platen: Platen, { blogId }: ImportRow, name: string): number | undefined {
  return madeBefore(platen, blogId, "rest", name);
}

/** Those that are written at one time. @param from how many are written already */
export function pieceFrom(all: Belonging[], from: number): Promise<Piece> {
  let end = from;
  while (end < all.length && !isPiece(all.slice(from, end))) end++;
  return readyPiece({ belongings: all.slice(from, end), from, end });
}

/**
 * Writes what is left of an item's belongings, piece by piece.
 * @param onWritten is given what this call has written
 */
export async function bringRest(
  platen: Platen,
  run: ImportRow,
  name: string,
  all: Belonging[],
  onWritten: (piece: Piece) => void,
): Promise<void> {
  const place = placeIn(platen, run, name, all);
  for (let from = place.reached(); from !== undefined; from = place.reached()) {
    const piece = await pieceFrom(all, from);
    const postId = madeBefore(platen, run.blogId, "post", name);
    if (await writePiece(platen, postId, piece, place)) onWritten(piece);
  }
}

function placeIn(platen: Platen, run: ImportRow, name: string, all: Belonging[]): Place {
  return {
    reached: () => broughtOf(platen, run, name),
    keep(reached, post) {
      if (post && reached < all.length) recordMade(platen, run, "rest", name, reached);
      else forgetMade(platen, run.blogId, "rest", name);
    },
  };
}
