import { Pace } from "../../../next-turn";
import type { WholePost } from "../../../posts/post/post";
import { fieldsOf } from "./post-fields";

/** Another one whenever anything is that the form of the post shows. */
export function versionOf(post: WholePost): string {
  const hasher = new Bun.CryptoHasher("sha256");
  for (const piece of told(post)) hasher.update(piece);
  return hasher.digest("base64url");
}

/** The same; of a long post others come in between. */
export async function versionInTurns(post: WholePost): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const pace = new Pace();
  for (const piece of told(post)) {
    hasher.update(piece);
    await pace.after(piece.length);
  }
  return hasher.digest("base64url");
}

/** In characters. */
const PIECE = 128 * 1024;

/** Together JSON of what the form shows: forms that are open have its hash, also across versions of Platen. */
function* told(post: WholePost): Generator<string> {
  const { altText: _, title, content, ...others } = fieldsOf(post);
  yield `[${JSON.stringify({ title }).slice(0, -1)},"content":"`;
  for (let from = 0; from < content.length; ) {
    const end = from + PIECE;
    const to = isBetweenHalves(content, end) ? end + 1 : end;
    yield JSON.stringify(content.slice(from, to)).slice(1, -1);
    from = to;
  }
  const state = [post.status, post.publishedAt?.getTime(), post.altText];
  yield `",${JSON.stringify(others).slice(1)},${JSON.stringify(state).slice(1)}`;
}

/** Of a character: JSON writes each half that stands alone with its number. */
function isBetweenHalves(text: string, at: number): boolean {
  const isHalf = (index: number, first: number) => (text.charCodeAt(index) & 0xfc00) === first;
  return isHalf(at - 1, 0xd800) && isHalf(at, 0xdc00);
}
