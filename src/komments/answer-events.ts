import { blogById } from "../blogs/blogs";
import { recordEvent } from "../deliveries/events";
import type { Platen } from "../platen";
import type { Komment } from "./komment";

/**
 * Tells the writer of a remote komment that the owner's answer changed, or is no longer shown. Call it in the
 * transaction of the change.
 */
export function recordAnswerEvent(platen: Platen, komment: Komment): void {
  const { id, blogId, postId, origin, remoteActorId } = komment;
  if (origin !== "fediverse" || !blogById(platen, blogId)?.reach?.fediverse) return;
  const event = {
    channel: "fediverse",
    blogId,
    postId,
    name: "komment.answered",
    payload: `${id} ${remoteActorId}`,
  };
  recordEvent(platen, { ...event, at: platen.now() });
}
