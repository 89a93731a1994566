import type { Blog } from "../../blogs/blogs";
import { hasUnqueuedEvents } from "../../deliveries/events-and-debouncing";
import { fediverseSettings } from "../../fediverse/blog-actors";
import { issueOfPost, newsletterState } from "../../newsletter/issue-scheduling-and-log";
import { newsletterOf } from "../../newsletter/newsletter-settings";
import type { Platen } from "../../platen";
import { isLive, type Post, type WholePost } from "../../posts/post/post";
import { goesTo, isNew, REACH_CHANNELS, type ReachChannel } from "../../posts/post/reach-channels";
import { copiesByDefault, copyAccount, findCopy } from "../../syndication/stored-copies";

export const SWITCHES = {
  pinned: ["readers", "Pinned", "Shown first on the home page."],
  hidden: ["readers", "Not in lists", "Anyone with the link can read it; it isn't listed."],
  hideInRss: ["readers", "Not in feeds", "On the blog, but not in its feeds."],
  skipArchive: ["readers", "Not in the archive", "On the blog, but not in its archive."],
  noIndexNoFollow: ["readers", "Not for search engines", "Adds noindex, nofollow."],
  kommentsDisabled: ["below", "No komments", "Readers can't write komments."],
  showContactForm: ["below", "Contact form", "Readers can send you private messages."],
  newsletter: ["newsletter", "Send as newsletter", "By e-mail to your subscribers, once."],
  fediverse: [
    "fediverse",
    "Send to followers",
    "If you turn this off later, followers’ servers delete the post.",
  ],
  bluesky: ["copies", "Copy to Bluesky", "A short post with a link, when this is published."],
  mastodon: ["copies", "Copy to Mastodon", "A short post with a link, when this is published."],
} as const;
export type SwitchName = keyof typeof SWITCHES;
export const SWITCH_NAMES = Object.keys(SWITCHES) as SwitchName[];

export function isReachSwitch(name: string): name is ReachChannel {
  return REACH_CHANNELS.includes(name as ReachChannel);
}

export function isChannelSelected(
  blog: Blog,
  post: Pick<WholePost, "reach" | "hidden" | "type"> | null,
  channel: ReachChannel,
): boolean {
  const isDefault = isSentByDefault(blog, channel);
  return isDefault !== null && post?.type !== "page" && goesTo(post, channel, isDefault);
}

/** @returns null if the channel is off */
export function isSentByDefault(blog: Blog, channel: ReachChannel): boolean | null {
  if (channel === "fediverse") return fediverseSettings(blog) && true;
  if (channel !== "newsletter") return copiesByDefault(blog, channel);
  const settings = newsletterOf(blog);
  return settings && settings.sends !== "ticked";
}

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

function isQueued(platen: Platen, blog: Blog, { id }: Post, channel: Exclude<ReachChannel, "fediverse">) {
  if (hasUnqueuedEvents(platen, { name: channel })) return true;
  if (channel === "newsletter") return newsletterState(issueOfPost(platen, id)) !== "none";
  const account = copyAccount(platen, blog, channel);
  return (
    account !== undefined && findCopy(platen, { postId: id, receiverId: account.receiverId }) !== undefined
  );
}
