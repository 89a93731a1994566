import type { Platen } from "../../../platen";
import type { PostRow } from "../../../posts/post/post";
import {
  type Belonging,
  isPiece,
  type Piece,
  type Place,
  readyPiece,
  takeOverPiece,
  writePiece,
} from "./belonging-pieces";
import { forgetMade, type ImportRow, madeBefore, recordMade } from "./import-rows";

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
