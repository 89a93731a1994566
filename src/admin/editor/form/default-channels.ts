import type { Blog } from "../../../blogs/blogs";
import { hasUnqueuedEvents } from "../../../deliveries/events";
import { issueOfPost, newsletterState } from "../../../newsletter/issue-scheduling";
import type { Platen } from "../../../platen";
import { isLive, type Post } from "../../../posts/post/post";
import { isNew, type ReachChannel } from "../../../posts/post/reach-channels";
import { copyAccount, findCopy } from "../../../syndication/stored-copies";
import { isChannelSelected, isReachSwitch } from "./post-fields";

/** `old`: dated too long ago. `published`: published without this channel. */
type DefaultState = "sent" | "old" | "published";

/**
 * Whether the default of the blog sends the post to a channel.
 * @param date publishing time, which may not be saved yet
 * @returns null if the author decides for this post, or the date does not matter
 */
export function defaultState(
  platen: Platen,
  blog: Blog,
  post: Post | null,
  date: Date | null,
  channel: string,
): DefaultState | null {
  if (!isReachSwitch(channel) || channel === "fediverse") return null;
  if (post?.reach?.[channel] !== undefined || !isChannelSelected(blog, post, channel)) return null;
  const now = platen.now();
  if (date && !isNew({ publishedAt: date }, now)) return "old";
  const isMissed = post && isLive(post, now) && !isQueued(platen, blog, post, channel);
  return isMissed ? "published" : "sent";
}

function isQueued(
  platen: Platen,
  blog: Blog,
  { id }: Post,
  channel: Exclude<ReachChannel, "fediverse">,
): boolean {
  if (hasUnqueuedEvents(platen, { name: channel })) return true;
  if (channel === "newsletter") return newsletterState(issueOfPost(platen, id)) !== "none";
  const account = copyAccount(platen, blog, channel);
  return (
    account !== undefined && findCopy(platen, { postId: id, receiverId: account.receiverId }) !== undefined
  );
}
