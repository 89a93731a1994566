import { and, asc, count, desc, eq, lt, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { followers, remoteActors } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import { actorId, type BlogActor } from "./blog-actors";
import { activityOf } from "./objects";
import { inboxOf, type RemoteActor } from "./remote-actors";
import { sendTo } from "./sending";

const MAX_FOLLOWERS = 20_000;

/** A follower as the owner sees it. */
export interface Follower {
  id: number;
  actor: string;
  handle: string;
  name: string;
  url: string;
  followId: string;
  since: Date;
}

/** Adds a follower and queues the answer Accept. Call it in a transaction. */
export function acceptFollow(platen: Platen, actor: BlogActor, remote: RemoteActor, followId: string): void {
  if (actor.movedTo || countFollowers(platen, actor.blog) >= MAX_FOLLOWERS) return;
  const inbox = inboxOf(remote);
  platen.db
    .insert(followers)
    .values({
      blogId: actor.blogId,
      remoteActorId: remote.id,
      followId,
      inbox,
      createdAt: platen.now(),
    })
    .onConflictDoUpdate({ target: [followers.blogId, followers.remoteActorId], set: { followId, inbox } })
    .run();
  const ours = actorId(actor);
  const follow = { id: followId, type: "Follow", actor: remote.url, object: ours };
  const id = `${ours}#accepts/${crypto.randomUUID()}`;
  sendTo(platen, actor, [inbox], activityOf(actor, "Accept", id, follow, { to: [remote.url] }));
}

export function dropFollower(platen: Platen, actor: BlogActor, remote: RemoteActor): void {
  platen.db
    .delete(followers)
    .where(and(eq(followers.blogId, actor.blogId), eq(followers.remoteActorId, remote.id)))
    .run();
}

/** Removes followers whose server says that they no longer exist. */
export function dropFollowersAt(platen: Platen, blogId: number, inbox: string): void {
  platen.db
    .delete(followers)
    .where(and(eq(followers.blogId, blogId), eq(followers.inbox, inbox)))
    .run();
}

/** Removes a follower, and tells its server (Reject). @throws Refusal (missing) */
export function removeFollower(platen: Platen, actor: BlogActor, id: number): void {
  inTransaction(platen, () => {
    const found = platen.db
      .select()
      .from(followers)
      .innerJoin(remoteActors, eq(remoteActors.id, followers.remoteActorId))
      .where(and(eq(followers.id, id), eq(followers.blogId, actor.blogId)))
      .get();
    if (!found) throw notFound("follower");
    const { followers: follower, remote_actors: remote } = found;
    platen.db.delete(followers).where(eq(followers.id, id)).run();
    const ours = actorId(actor);
    const follow = { id: follower.followId, type: "Follow", actor: remote.url, object: ours };
    const reject = activityOf(actor, "Reject", `${ours}#rejects/${crypto.randomUUID()}`, follow, {
      to: [remote.url],
    });
    sendTo(platen, actor, [follower.inbox], reject);
  });
}

export function countFollowers({ db }: Platen, { id }: Pick<Blog, "id">): number {
  return db.select({ n: count() }).from(followers).where(eq(followers.blogId, id)).get()?.n ?? 0;
}

/**
 * Lists followers, newest first.
 * @param options `before`: id of the last follower of the previous page; `words`: part of name or handle
 */
export function listFollowers(
  { db }: Platen,
  { id: blogId }: Pick<Blog, "id">,
  { before, limit = -1, words = "" }: { before?: number; limit?: number; words?: string } = {},
): Follower[] {
  return db
    .select({
      id: followers.id,
      actor: remoteActors.url,
      handle: remoteActors.handle,
      name: remoteActors.name,
      url: remoteActors.profileUrl,
      followId: followers.followId,
      since: followers.createdAt,
    })
    .from(followers)
    .innerJoin(remoteActors, eq(remoteActors.id, followers.remoteActorId))
    .where(
      and(
        eq(followers.blogId, blogId),
        before === undefined ? undefined : lt(followers.id, before),
        words === ""
          ? undefined
          : sql`instr(lower(${remoteActors.handle} || ' ' || ${remoteActors.name}), ${words.toLowerCase()}) > 0`,
      ),
    )
    .orderBy(desc(followers.id))
    .limit(limit)
    .all();
}

/** The inboxes of all followers, each once. */
export function followerInboxes({ db }: Platen, { id }: Pick<Blog, "id">): string[] {
  return db
    .selectDistinct({ inbox: followers.inbox })
    .from(followers)
    .where(eq(followers.blogId, id))
    .orderBy(asc(followers.inbox))
    .all()
    .map(({ inbox }) => inbox);
}
