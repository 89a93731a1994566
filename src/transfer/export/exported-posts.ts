import { and, asc, eq, isNotNull, isNull, lte } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { findRow, findRows, findValues } from "../../database/rows";
import { komments, oldSlugs, posts, revisions } from "../../database/schema";
import type { Platen } from "../../platen";
import { TOPIC_TABLES, type Topic, type TopicKind } from "../../posts/storage/categories-and-tags";
import { postsWithIds, wholePost } from "../../posts/storage/stored-posts";
import type { RevisionFields } from "../../posts/writing/revisions";

/** Sorted by id, except that posts in the trash come last. */
export function listPostIds(platen: Platen, blog: Blog, { withTrash = false } = {}): number[] {
  const where = and(eq(posts.blogId, blog.id), withTrash ? undefined : isNull(posts.deletedAt));
  return findValues(platen, posts, "id", where, { orderBy: [isNotNull(posts.deletedAt), posts.id] });
}

export function* eachPost(platen: Platen, blog: Blog, options?: { withTrash: boolean }) {
  for (const id of listPostIds(platen, blog, options)) {
    const [post] = postsWithIds(platen, blog, [id]);
    if (post) yield wholePost(platen, post);
  }
}

export function listLiveSlugs(platen: Platen, blog: Blog): string[] {
  const where = and(eq(posts.blogId, blog.id), isLiveAt(platen.now()));
  return findValues(platen, posts, "slug", where, { orderBy: posts.id });
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

export function listTopics(platen: Platen, blog: Blog, kind: TopicKind): Topic[] {
  const table = TOPIC_TABLES[kind];
  return findRows(platen, table, { blogId: blog.id }, { orderBy: table.id });
}

export function listKomments(platen: Platen, postId: number) {
  return findRows(platen, komments, { postId }, { orderBy: komments.id });
}

export interface StoredRevision {
  replacedAt: Date;
  fields: RevisionFields;
}

/** Reads one revision at a time, because a post may have hundreds of long ones. */
export function* eachRevision(platen: Platen, postId: number): Generator<StoredRevision> {
  for (const id of findValues(platen, revisions, "id", { postId }, { orderBy: revisions.id })) {
    const revision = findRow(platen, revisions, { id });
    if (revision) yield revision;
  }
}
