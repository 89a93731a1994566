import type { WholePost } from "../../../posts/post/post";
import { fieldsOf } from "./post-fields";

/** Differs whenever anything that the form of the post shows has changed; also across versions of Platen. */
export function versionOf(post: WholePost): string {
  const { altText: _, title, content, ...others } = fieldsOf(post);
  const state = [post.status, post.publishedAt?.getTime(), post.altText];
  const shown = `[${JSON.stringify({ title, content, ...others })},${JSON.stringify(state).slice(1)}`;
  return new Bun.CryptoHasher("sha256").update(shown).digest("base64url");
}
