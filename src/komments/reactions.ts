import { asc, count, eq, sql } from "drizzle-orm";
import { prepared } from "../database/prepared";
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

const ofPost = prepared((db) =>
  db
    .select({ kind: reactions.kind, name: reactions.name, url: reactions.url })
    .from(reactions)
    .where(eq(reactions.postId, sql.placeholder("postId")))
    .orderBy(asc(reactions.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);
const counts = prepared((db) =>
  db
    .select({ kind: reactions.kind, n: count() })
    .from(reactions)
    .where(eq(reactions.postId, sql.placeholder("postId")))
    .groupBy(reactions.kind)
    .prepare(),
);

export function postReactions(platen: Platen, postId: number, limit: number) {
  const found = new Map(
    counts(platen)
      .all({ postId })
      .map(({ kind, n }) => [kind, n]),
  );
  if (found.size === 0) return null;
  const rows = ofPost(platen).all({ postId, limit });
  const people = [...new Map(rows.map((row) => [row.url, row])).values()];
  return { likes: found.get("like") ?? 0, boosts: found.get("boost") ?? 0, people };
}
