import { DAY } from "../../config/units";
import type { PostRow } from "./post";

export const REACH_CHANNELS = ["newsletter", "fediverse", "bluesky", "mastodon"] as const;
export type ReachChannel = (typeof REACH_CHANNELS)[number];

/** Older posts may come from an archive. Only the author's choice sends them by mail or as copies. */
const MAX_NEW_MS = 7 * DAY;

export function isNew({ publishedAt }: Pick<PostRow, "publishedAt">, at: Date): boolean {
  return publishedAt !== null && at.getTime() - publishedAt.getTime() < MAX_NEW_MS;
}

type WithReach = Pick<PostRow, "reach" | "hidden">;

export function goesTo(post: WithReach | null, channel: ReachChannel, isDefault: boolean): boolean {
  return post?.reach?.[channel] ?? (isDefault && !post?.hidden);
}
