import { Pace } from "../../next-turn";

/** In characters: to go through so many takes a few milliseconds at most. */
const PIECE = 128 * 1024;
/** What stands within a row of pictures. */
const OF_PICTURES = /^<\/?(?:fig|img)/;

/**
 * Sanitised HTML after a change that looks at tags one by one, or at pictures that follow each other. Long ones are
 * changed in pieces, others in between.
 */
export async function inPieces(content: string, change: (piece: string) => string): Promise<string> {
  return (await eachPiece(content, change)).join("");
}

/** What becomes of each of the pieces. */
export async function eachPiece<Made>(content: string, change: (piece: string) => Made): Promise<Made[]> {
  const changed: Made[] = [];
  const pace = new Pace();
  for (let from = 0; from < content.length; ) {
    const to = endOfPiece(content, from + PIECE);
    changed.push(change(content.slice(from, to)));
    await pace.after(2 * (to - from));
    from = to;
  }
  return changed;
}

/** Before a tag, but not among pictures: `<` stands in tags only. */
function endOfPiece(content: string, earliest: number): number {
  let at = earliest < content.length ? content.indexOf("<", earliest) : -1;
  while (at >= 0 && OF_PICTURES.test(content.slice(at, at + "</fig".length)))
    at = content.indexOf("<", at + 1);
  return at < 0 ? content.length : at;
}
