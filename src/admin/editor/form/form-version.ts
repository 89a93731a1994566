import type { WholePost } from "../../../posts/post/post";
import { fieldsOf } from "./post-fields";

/** Another one whenever anything is that the form of the post shows. */
export function versionOf(post: WholePost): string {
  const { altText: _, ...fields } = fieldsOf(post);
  const told = [fields, post.status, post.publishedAt?.getTime(), post.altText];
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(told)).digest("base64url");
}
