import { and, asc, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Blog } from "../../../blogs/blogs";
import { blobs, komments, messages, oldSlugs, posts, revisions } from "../../../database/schema";
import type { StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import type { WholePost } from "../../../posts/post/post";
import type { RevisionFields } from "../../../posts/revisions/revision-history";
import { postsWithIds, wholePost } from "../../../posts/storage/stored-posts";
import { yieldToEventLoop } from "../../../runtime/yielding";

export interface StoredRevision {
  id: number;
  replacedAt: Date;
  fields: RevisionFields;
}

const PAGE_ROWS = 100;

/** The unary plus makes SQLite walk posts by id instead of sorting an index of the blog. */
const isOfBlog = ({ id }: Blog) => sql`+${posts.blogId} = ${id}`;

/** The unary plus keeps SQLite from choosing another index. */
const isLiveAt = (now: Date) =>
  sql`+${posts.status} = 'published' and +${posts.deletedAt} is null and +${posts.publishedAt} <= ${now.getTime()}`;

/** All posts and pages outside the trash, oldest first, with content. */
export function eachPost(platen: Platen, blog: Blog): AsyncGenerator<WholePost> {
  return wholePosts(platen, blog, keptIdsOf(platen, blog));
}

/** All posts of eachPost, then the posts in the trash. */
export function eachPostWithTrash(platen: Platen, blog: Blog): AsyncGenerator<WholePost> {
  return wholePosts(platen, blog, eachPostIdWithTrash(platen, blog));
}

export async function* eachPostIdWithTrash(platen: Platen, blog: Blog): AsyncGenerator<{ id: number }> {
  yield* keptIdsOf(platen, blog);
  yield* postIds(platen, and(eq(posts.blogId, blog.id), isNotNull(posts.deletedAt)));
}

function keptIdsOf(platen: Platen, blog: Blog): AsyncGenerator<{ id: number; slug: string }> {
  return postIds(platen, and(isOfBlog(blog), sql`+${posts.deletedAt} is null`));
}

function postIds({ db }: Platen, where: SQL | undefined): AsyncGenerator<{ id: number; slug: string }> {
  return eachRow((after) =>
    db
      .select({ id: posts.id, slug: posts.slug })
      .from(posts)
      .where(and(where, gt(posts.id, after)))
      .orderBy(asc(posts.id))
      .limit(PAGE_ROWS)
      .all(),
  );
}

async function* wholePosts(
  platen: Platen,
  blog: Blog,
  ids: AsyncGenerator<{ id: number }>,
): AsyncGenerator<WholePost> {
  for await (const { id } of ids) {
    const [post] = postsWithIds(platen, blog, [id]);
    if (post) yield wholePost(platen, post);
  }
}

/** All live posts, including unlisted ones. */
export function eachLivePost(platen: Platen, blog: Blog): AsyncGenerator<{ id: number; slug: string }> {
  return postIds(platen, and(isOfBlog(blog), isLiveAt(platen.now())));
}

/** Previous paths of visible posts, with the current slugs. */
export async function* eachPreviousPath({ db, now }: Platen, blog: Blog) {
  const isLive = isLiveAt(now());
  let after = "";
  for (;;) {
    const rows = db
      .select({ former: oldSlugs.slug, slug: posts.slug })
      .from(oldSlugs)
      .innerJoin(posts, eq(posts.id, oldSlugs.postId))
      .where(and(eq(oldSlugs.blogId, blog.id), gt(oldSlugs.slug, after), isLive))
      .orderBy(asc(oldSlugs.slug))
      .limit(PAGE_ROWS)
      .all();
    yield* rows;
    if (rows.length < PAGE_ROWS) return;
    after = (rows.at(-1) as { former: string }).former;
    await yieldToEventLoop();
  }
}

export function eachFile({ db }: Platen, blog: Blog): AsyncGenerator<StoredBlob> {
  return eachRow((after) =>
    db
      .select()
      .from(blobs)
      .where(and(eq(blobs.blogId, blog.id), gt(blobs.id, after)))
      .orderBy(asc(blobs.id))
      .limit(PAGE_ROWS)
      .all(),
  );
}

export function eachKomment({ db }: Platen, post: { id: number }) {
  return eachRow((after) =>
    db
      .select()
      .from(komments)
      .where(and(eq(komments.postId, post.id), gt(komments.id, after)))
      .orderBy(asc(komments.id))
      .limit(PAGE_ROWS)
      .all(),
  );
}

/** Reads one revision at a time, because a post may have hundreds of long revisions. */
export function eachRevision({ db }: Platen, post: { id: number }): AsyncGenerator<StoredRevision> {
  return eachRow((after) =>
    db
      .select({ id: revisions.id, replacedAt: revisions.replacedAt, fields: revisions.fields })
      .from(revisions)
      .where(and(eq(revisions.postId, post.id), gt(revisions.id, after)))
      .orderBy(asc(revisions.id))
      .limit(1)
      .all(),
  );
}

/** All messages, each with the slug of its page if that page exists. */
export function eachMessage({ db }: Platen, blog: Blog) {
  return eachRow((after) =>
    db
      .select({ message: messages, slug: posts.slug })
      .from(messages)
      .leftJoin(posts, eq(posts.id, messages.postId))
      .where(and(eq(messages.blogId, blog.id), gt(messages.id, after)))
      .orderBy(asc(messages.id))
      .limit(PAGE_ROWS)
      .all()
      .map(({ message, slug }) => ({ ...message, slug })),
  );
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

/** Reads rows in batches and yields to the event loop between them. */
async function* eachRow<Row extends { id: number }>(read: (after: number) => Row[]): AsyncGenerator<Row> {
  let after = 0;
  for (let rows = read(after); rows.length > 0; rows = read(after)) {
    for (const row of rows) yield row;
    after = (rows.at(-1) as Row).id;
    await yieldToEventLoop();
  }
}
