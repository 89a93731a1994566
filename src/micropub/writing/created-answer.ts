import { postUrl } from "../../blogs/permalinks";
import { jsonResponse, type TextResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";

/** 201: the post is at this address now. Apps that cannot read headers find it in the body. */
export function createdAnswer(platen: Platen, post: Post, warnings: string[]): TextResponse {
  const url = postUrl(platen, post.blog, post);
  const notes = warnings.length > 0 ? { warnings } : {};
  return jsonResponse(201, { url, ...notes }, { location: url });
}
