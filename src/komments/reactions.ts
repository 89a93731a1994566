import { prepareSql } from "../database/prepared";
import { deleteRows } from "../database/rows";
import { reactions } from "../database/schema";
import type { Platen } from "../platen";
import { isLive, type Post } from "../posts/post/post";
import { MAX_INPUT_LENGTH } from "./komment-limits";
import { isBlocked } from "./moderation";
import { cleanLine } from "./reader-input-check";

type ReactionRow = typeof reactions.$inferSelect;
type ReactionKind = ReactionRow["kind"];

interface Reaction {
  kind: ReactionKind;
  /** Id of the activity, or URL of the page. A second reaction with the same id is ignored. */
  uri: string;
  name: string;
  url: string;
  remoteActorId?: number | null;
}

export function storeReaction(platen: Platen, post: Post, reaction: Reaction): void {
  const name = cleanLine(reaction.name).slice(0, MAX_INPUT_LENGTH.name);
  const at = platen.now();
  if (!isLive(post, at) || isBlocked(post.blog, { name, address: reaction.url, text: "" })) return;
  platen.db
    .insert(reactions)
    .values({ ...reaction, name, blogId: post.blogId, postId: post.id, createdAt: at })
    .onConflictDoNothing()
    .run();
}

export function deleteReaction(platen: Platen, reaction: Pick<ReactionRow, "uri" | "remoteActorId">): void {
  deleteRows(platen, reactions, reaction);
}

const ofPost = prepareSql<{ name: string; url: string }, [postId: number, limit: number]>(
  "SELECT name, url FROM reactions WHERE post_id = ? ORDER BY id LIMIT ?",
);
const counts = prepareSql<{ likes: number; boosts: number }, [postId: number]>(`
  SELECT count(*) FILTER (WHERE kind = 'like') AS likes, count(*) FILTER (WHERE kind = 'boost') AS boosts
  FROM reactions WHERE post_id = ?`);

export function postReactions(platen: Platen, postId: number, limit: number) {
  const counted = counts(platen).get(postId);
  if (!counted || counted.likes + counted.boosts === 0) return null;
  const rows = ofPost(platen).all(postId, limit);
  const people = [...new Map(rows.map((row) => [row.url, row])).values()];
  return { ...counted, people };
}
