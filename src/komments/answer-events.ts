import { blogById } from "../blogs/blogs";
import { recordEvent } from "../deliveries/events";
import type { Platen } from "../platen";
import type { Komment } from "./komment";

/**
 * Records that the owner's answer changed, or is no longer shown, for the writer of a remote komment and for pages that
 * the answer links to. Call it in the transaction of the change.
 */
export function recordAnswerEvent(platen: Platen, komment: Komment): void {
  const { id, blogId, postId, origin, remoteActorId } = komment;
  const reach = blogById(platen, blogId)?.reach;
  const event = { blogId, postId, name: "komment.answered", at: platen.now() };
  if (origin === "fediverse" && reach?.fediverse)
    recordEvent(platen, { ...event, channel: "fediverse", payload: `${id} ${remoteActorId}` });
  if (reach?.webmention) recordEvent(platen, { ...event, channel: "webmention" });
}
