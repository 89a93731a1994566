import { asc, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { DAY } from "../config/units";
import { countRows, deleteRows, hasValues, prepareSql, upsertRow } from "../database/rows";
import { followers, remoteActors } from "../database/schema";
import { inInvisibleTransaction, inTransaction } from "../database/transactions";
import { changeReceiver } from "../deliveries/receivers";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import { activityOf } from "./activity-streams";
import { updateOfActor } from "./actor-and-webfinger-documents";
import { actorId, actorOfBlog, actorOfBlogId, type BlogActor } from "./blog-actors";
import { sendTo } from "./queueing-activities";
import { inboxOf, type RemoteActor } from "./remote-actors";

const MAX_FOLLOWERS = 20_000;
const MAX_CHECKED = 5;

export type Follower = ReturnType<typeof listFollowers>[number];

/** Call this in a transaction. */
export function acceptFollow(platen: Platen, actor: BlogActor, remote: RemoteActor, followId: string): void {
  if (actor.movedTo || countFollowers(platen, actor.blog) >= MAX_FOLLOWERS) return;
  const inbox = inboxOf(remote);
  const follower = { blogId: actor.blogId, remoteActorId: remote.id, followId, inbox };
  const values = { ...follower, createdAt: platen.now() };
  upsertRow(platen, followers, values, ["blogId", "remoteActorId"], ["createdAt"]);
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

/** @param follow limits the deletion to the follow with this id */
export function dropFollower(
  platen: Platen,
  { blogId }: BlogActor,
  { id }: RemoteActor,
  follow?: { followId: string },
): void {
  deleteRows(platen, followers, { blogId, remoteActorId: id, ...follow });
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

export function countFollowers(platen: Platen, blog: Pick<Blog, "id">, words = ""): number {
  return countRows(platen, followers, isListed(blog, words));
}

function isListed({ id: blogId }: Pick<Blog, "id">, words: string): SQL {
  const isOfBlog = hasValues(followers, { blogId });
  if (words === "") return isOfBlog;
  const { id, handle, name } = remoteActors;
  const isNamed = sql`instr(lower(${handle} || ' ' || ${name}), ${words.toLowerCase()}) > 0`;
  return sql`${isOfBlog} AND EXISTS (
    SELECT 1 FROM ${remoteActors} WHERE ${id} = ${followers.remoteActorId} AND ${isNamed})`;
}

/** Newest first. */
export function listFollowers(
  { db }: Platen,
  blog: Pick<Blog, "id">,
  { page = 1, limit = -1, words = "" } = {},
) {
  const { id, followId, createdAt: since } = followers;
  const { id: personId, url: actor, handle, name, profileUrl: url } = remoteActors;
  return db
    .select({ id, personId, actor, handle, name, url, followId, since })
    .from(followers)
    .innerJoin(remoteActors, eq(remoteActors.id, followers.remoteActorId))
    .where(isListed(blog, words))
    .orderBy(desc(followers.id))
    .limit(limit)
    .offset((page - 1) * Math.max(limit, 0))
    .all();
}

export function followerInboxes({ db }: Platen, blogId: number): string[] {
  const { inbox } = followers;
  const inboxes = db.selectDistinct({ inbox }).from(followers).where(eq(followers.blogId, blogId));
  const rows = inboxes.orderBy(asc(inbox)).all();
  return rows.map((row) => row.inbox);
}

/** In a CSV format that Mastodon can import. */
export function followersCsv(platen: Platen, { blog }: BlogActor): string {
  const rows = listFollowers(platen, blog).map(({ handle }) => handle.slice(1));
  return ["Account address", ...rows.map(csvField), ""].join("\n");
}

function csvField(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const MAX_RETRIED = 500;
const RETRY_MS = 7 * DAY;

/** Counted from `failingSince`, so this includes the days before the inbox was disabled. */
const GIVE_UP_MS = 65 * DAY;

/**
 * Retries an inbox a week after it was disabled. After GIVE_UP_MS, deletes its followers instead.
 * @returns true if more inboxes may be left
 */
export function retryDeadInboxes(platen: Platen): boolean {
  const at = platen.now().getTime();
  const rows = turnedOff(platen).all(at - RETRY_MS);
  for (const { id, blogId, url, failingSince } of rows)
    inInvisibleTransaction(platen, () => {
      if (failingSince <= at - GIVE_UP_MS) deleteRows(platen, followers, { blogId, inbox: url });
      else retryInbox(platen, blogId, id);
    });
  return rows.length === MAX_RETRIED;
}

/** `failingSince` stays, so a single further failure disables the inbox again. */
function retryInbox(platen: Platen, blogId: number, receiverId: number): void {
  const actor = actorOfBlogId(platen, blogId);
  if (!actor) return;
  const { url } = changeReceiver(platen, receiverId, { disabledAt: null, disabledBecause: null });
  sendTo(platen, actor, [url], updateOfActor(platen, actor));
}

const turnedOff = prepareSql<{ id: number; blogId: number; url: string; failingSince: number }, [number]>(
  `SELECT id, blog_id AS blogId, url, failing_since AS failingSince FROM receivers
     WHERE channel = 'fediverse' AND removed_at IS NULL AND disabled_at <= ? AND failing_since IS NOT NULL
       AND EXISTS (SELECT 1 FROM followers WHERE followers.blog_id = receivers.blog_id AND inbox = url)
       AND (SELECT reach -> '$.fediverse' FROM blogs WHERE blogs.id = receivers.blog_id) IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM removals WHERE removals.blog_id = receivers.blog_id)
     LIMIT ${MAX_RETRIED}`,
);
