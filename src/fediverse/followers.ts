import { and, asc, count, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { deleteRows, hasValues } from "../database/rows";
import { followers, remoteActors } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import { activityOf } from "./activity-streams";
import { actorId, actorOfBlog, type BlogActor } from "./blog-actors";
import { sendTo } from "./queueing-activities";
import { inboxOf, type RemoteActor } from "./remote-actors";

const MAX_FOLLOWERS = 20_000;
const MAX_CHECKED = 5;

export type Follower = ReturnType<typeof listFollowers>[number];

/** Call this in a transaction. */
export function acceptFollow(platen: Platen, actor: BlogActor, remote: RemoteActor, followId: string): void {
  if (actor.movedTo || countFollowers(platen, actor.blog) >= MAX_FOLLOWERS) return;
  const inbox = inboxOf(remote);
  platen.db
    .insert(followers)
    .values({ blogId: actor.blogId, remoteActorId: remote.id, followId, inbox, createdAt: platen.now() })
    .onConflictDoUpdate({ target: [followers.blogId, followers.remoteActorId], set: { followId, inbox } })
    .run();
  answerFollow(platen, actor, "Accept", remote, { followId, inbox });
}

function answerFollow(
  platen: Platen,
  actor: BlogActor,
  type: "Accept" | "Reject",
  { url }: Pick<RemoteActor, "url">,
  { followId, inbox }: Pick<typeof followers.$inferSelect, "followId" | "inbox">,
): void {
  const ownId = actorId(actor);
  const follow = { id: followId, type: "Follow", actor: url, object: ownId };
  const id = `${ownId}#${type.toLowerCase()}s/${crypto.randomUUID()}`;
  sendTo(platen, actor, [inbox], activityOf(actor, type, id, follow, { to: [url] }));
}

/** @param follow limits the deletion to a follow with this id */
export function dropFollower(
  platen: Platen,
  { blogId }: BlogActor,
  { id: remoteActorId }: RemoteActor,
  follow?: { followId: string },
): void {
  deleteRows(platen, followers, { blogId, remoteActorId, ...follow });
}

export function dropFollowersAt(platen: Platen, blogId: number, inbox: string): void {
  deleteRows(platen, followers, { blogId, inbox });
}

/** At most MAX_CHECKED, because many followers may share an inbox. */
export function followersAt({ db }: Platen, { blogId }: BlogActor, inbox: string): string[] {
  return db
    .select({ url: remoteActors.url })
    .from(followers)
    .innerJoin(remoteActors, eq(remoteActors.id, followers.remoteActorId))
    .where(hasValues(followers, { blogId, inbox }))
    .limit(MAX_CHECKED)
    .all()
    .map(({ url }) => url);
}

export function removeFollower(platen: Platen, blog: Blog, id: number): void {
  inTransaction(platen, () => {
    const found = platen.db
      .select()
      .from(followers)
      .innerJoin(remoteActors, eq(remoteActors.id, followers.remoteActorId))
      .where(hasValues(followers, { id, blogId: blog.id }))
      .get();
    if (!found) throw notFound("follower");
    deleteRows(platen, followers, { id });
    const actor = actorOfBlog(platen, blog);
    if (actor) answerFollow(platen, actor, "Reject", found.remote_actors, found.followers);
  });
}

export function countFollowers({ db }: Platen, { id }: Pick<Blog, "id">, words = ""): number {
  const counted = db.select({ n: count() }).from(followers);
  if (words === "") return counted.where(eq(followers.blogId, id)).get()?.n ?? 0;
  const joined = counted.innerJoin(remoteActors, eq(remoteActors.id, followers.remoteActorId));
  return joined.where(and(eq(followers.blogId, id), isNamed(words))).get()?.n ?? 0;
}

function isNamed(words: string): SQL {
  const { handle, name } = remoteActors;
  return sql`instr(lower(${handle} || ' ' || ${name}), ${words.toLowerCase()}) > 0`;
}

/** Newest first. */
export function listFollowers(
  { db }: Platen,
  { id: blogId }: Pick<Blog, "id">,
  { page = 1, limit = -1, words = "" } = {},
) {
  return db
    .select({
      id: followers.id,
      personId: remoteActors.id,
      actor: remoteActors.url,
      handle: remoteActors.handle,
      name: remoteActors.name,
      url: remoteActors.profileUrl,
      followId: followers.followId,
      since: followers.createdAt,
    })
    .from(followers)
    .innerJoin(remoteActors, eq(remoteActors.id, followers.remoteActorId))
    .where(and(eq(followers.blogId, blogId), words === "" ? undefined : isNamed(words)))
    .orderBy(desc(followers.id))
    .limit(limit)
    .offset((page - 1) * Math.max(limit, 0))
    .all();
}

export function followerInboxes({ db }: Platen, { id }: Pick<Blog, "id">): string[] {
  return db
    .selectDistinct({ inbox: followers.inbox })
    .from(followers)
    .where(eq(followers.blogId, id))
    .orderBy(asc(followers.inbox))
    .all()
    .map(({ inbox }) => inbox);
}

/** In a CSV format that Mastodon can import. */
export function followersCsv(platen: Platen, { blog }: BlogActor): string {
  const rows = listFollowers(platen, blog).map(({ handle }) => handle.slice(1));
  return ["Account address", ...rows.map(csvField), ""].join("\n");
}

function csvField(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
