import { and, asc, eq, inArray, isNotNull, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Blog } from "../../../blogs/blogs";
import { blobs, komments, messages, oldSlugs, posts, revisions } from "../../../database/schema";
import type { StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import type { WholePost } from "../../../posts/post/post";
import type { RevisionFields } from "../../../posts/revisions/revision-history";
import { postsWithIds, wholePost } from "../../../posts/storage/stored-posts";

export interface StoredRevision {
  replacedAt: Date;
  fields: RevisionFields;
}

/** Ids of posts and pages, oldest first; posts in the trash come last. */
export function listPostIds(platen: Platen, blog: Blog, { withTrash = false } = {}): number[] {
  const ids = (isWanted: SQL) =>
    platen.db
      .select({ id: posts.id })
      .from(posts)
      .where(and(eq(posts.blogId, blog.id), isWanted))
      .orderBy(asc(posts.id))
      .all()
      .map(({ id }) => id);
  return [...ids(isNull(posts.deletedAt)), ...(withTrash ? ids(isNotNull(posts.deletedAt)) : [])];
}

/** The posts of `listPostIds` with content, one at a time. */
export function* eachPost(
  platen: Platen,
  blog: Blog,
  options?: { withTrash: boolean },
): Generator<WholePost> {
  for (const id of listPostIds(platen, blog, options)) {
    const [post] = postsWithIds(platen, blog, [id]);
    if (post) yield wholePost(platen, post);
  }
}

/** Slugs of all live posts, including unlisted ones. */
export function listLiveSlugs(platen: Platen, blog: Blog): string[] {
  const where = and(eq(posts.blogId, blog.id), isLiveAt(platen.now()));
  const rows = platen.db.select({ slug: posts.slug }).from(posts).where(where).orderBy(asc(posts.id)).all();
  return rows.map(({ slug }) => slug);
}

/** Previous paths of visible posts, with the current slugs. */
export function listPreviousPaths({ db, now }: Platen, blog: Blog) {
  return db
    .select({ former: oldSlugs.slug, slug: posts.slug })
    .from(oldSlugs)
    .innerJoin(posts, eq(posts.id, oldSlugs.postId))
    .where(and(eq(oldSlugs.blogId, blog.id), isLiveAt(now())))
    .orderBy(asc(oldSlugs.slug))
    .all();
}

const isLiveAt = (now: Date) =>
  and(eq(posts.status, "published"), isNull(posts.deletedAt), lte(posts.publishedAt, now));

export function listFiles({ db }: Platen, blog: Blog): StoredBlob[] {
  return db.select().from(blobs).where(eq(blobs.blogId, blog.id)).orderBy(asc(blobs.id)).all();
}

export function listKomments({ db }: Platen, postId: number) {
  return db.select().from(komments).where(eq(komments.postId, postId)).orderBy(asc(komments.id)).all();
}

/** Reads one revision at a time, because a post may have hundreds of long revisions. */
export function* eachRevision({ db }: Platen, postId: number): Generator<StoredRevision> {
  const ids = db.select({ id: revisions.id }).from(revisions).where(eq(revisions.postId, postId));
  for (const { id } of ids.orderBy(asc(revisions.id)).all()) {
    const revision = db.select().from(revisions).where(eq(revisions.id, id)).get();
    if (revision) yield revision;
  }
}

/** All messages, each with the slug of its page if that page exists. */
export function listMessages({ db }: Platen, blog: Blog) {
  return db
    .select({ message: messages, slug: posts.slug })
    .from(messages)
    .leftJoin(posts, eq(posts.id, messages.postId))
    .where(eq(messages.blogId, blog.id))
    .orderBy(asc(messages.id))
    .all()
    .map(({ message, slug }) => ({ ...message, slug }));
}

export function countHistory({ db }: Platen, { id }: Blog) {
  const count = (table: SQLiteTable, where: SQL | undefined) =>
    db.select({ n: sql<number>`count(*)` }).from(table).where(where).get()?.n ?? 0;
  const kept = db
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.blogId, id), isNull(posts.deletedAt)));
  return {
    komments: count(komments, and(eq(komments.blogId, id), inArray(komments.postId, kept))),
    messages: count(messages, eq(messages.blogId, id)),
    revisions: count(revisions, inArray(revisions.postId, kept)),
    inTrash: count(posts, and(eq(posts.blogId, id), isNotNull(posts.deletedAt))),
  };
}
