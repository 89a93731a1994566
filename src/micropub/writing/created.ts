import { postUrl } from "../../blogs/permalinks";
import { type Answer, jsonAnswer } from "../../http/answers/answer";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";

/** 201: the post is at this address now. Apps that cannot read headers find it in the body. */
export function placed(platen: Platen, post: Post, warnings: string[]): Answer {
  const url = postUrl(platen, post.blog, post);
  const notes = warnings.length > 0 ? { warnings } : {};
  return jsonAnswer(201, { url, ...notes }, { location: url });
}
