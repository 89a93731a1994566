import { and, asc, eq, isNotNull, isNull, lte } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { komments, oldSlugs, posts, revisions } from "../../database/schema";
import type { Platen } from "../../platen";
import type { WholePost } from "../../posts/post/post";
import { postsWithIds, wholePost } from "../../posts/storage/stored-posts";
import type { RevisionFields } from "../../posts/writing/revisions";

/** Sorted by id, except that posts in the trash come last. */
export function listPostIds(platen: Platen, blog: Blog, { withTrash = false } = {}): number[] {
  const where = and(eq(posts.blogId, blog.id), withTrash ? undefined : isNull(posts.deletedAt));
  const ids = platen.db.select({ id: posts.id }).from(posts).where(where);
  return ids
    .orderBy(isNotNull(posts.deletedAt), asc(posts.id))
    .all()
    .map(({ id }) => id);
}

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

export function listLiveSlugs(platen: Platen, blog: Blog): string[] {
  const where = and(eq(posts.blogId, blog.id), isLiveAt(platen.now()));
  const rows = platen.db.select({ slug: posts.slug }).from(posts).where(where).orderBy(asc(posts.id)).all();
  return rows.map(({ slug }) => slug);
}

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

export function listKomments({ db }: Platen, postId: number) {
  return db.select().from(komments).where(eq(komments.postId, postId)).orderBy(asc(komments.id)).all();
}

export interface StoredRevision {
  replacedAt: Date;
  fields: RevisionFields;
}

/** Reads one revision at a time, because a post may have hundreds of long ones. */
export function* eachRevision({ db }: Platen, postId: number): Generator<StoredRevision> {
  const ids = db.select({ id: revisions.id }).from(revisions).where(eq(revisions.postId, postId));
  for (const { id } of ids.orderBy(asc(revisions.id)).all()) {
    const revision = db.select().from(revisions).where(eq(revisions.id, id)).get();
    if (revision) yield revision;
  }
}
