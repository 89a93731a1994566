import type { Blog } from "../blogs/blogs";
import { deleteRows, insertIfNew, prepareSql } from "../database/rows";
import { reactions } from "../database/schema";
import type { Platen } from "../platen";
import { isLive, type Post } from "../posts/post/post";
import { isBlocked } from "./blocked-words-and-hosts";
import { cleanLine, MAX_INPUT_LENGTH } from "./reader-input";

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
  insertIfNew(platen, reactions, { ...reaction, name, blogId: post.blogId, postId: post.id, createdAt: at });
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

export interface ReceivedRow {
  kind: "komment" | "like" | "boost";
  name: string;
  url: string;
  postId: number;
  postTitle: string;
  personId: number | null;
  at: Date;
}

const newest = prepareSql<Omit<ReceivedRow, "at"> & { at: number }, [number, number]>(`
    SELECT kind, name, url, post_id AS postId, iif(title = '', slug, title) AS postTitle, personId, at FROM (
      SELECT * FROM (SELECT kind, name, url, post_id, remote_actor_id AS personId, created_at AS at FROM reactions
        WHERE blog_id = ?1 ORDER BY id DESC LIMIT ?2)
      UNION ALL
      SELECT * FROM (SELECT 'komment', name, origin_url, post_id, remote_actor_id, created_at FROM komments
        WHERE blog_id = ?1 AND origin <> '' ORDER BY id DESC LIMIT ?2)
    ) JOIN posts ON posts.id = post_id ORDER BY at DESC LIMIT ?2`);

export function listReceived(platen: Platen, { id }: Pick<Blog, "id">, limit: number): ReceivedRow[] {
  return newest(platen)
    .all(id, limit)
    .map((row) => ({ ...row, at: new Date(row.at) }));
}
