import { and, asc, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Blog } from "../../../blogs/blogs";
import { prepared } from "../../../database/prepared";
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

type Db = Platen["db"];
const next = { after: sql.placeholder("after"), of: sql.placeholder("of") };

/** The unary plus makes SQLite walk posts by id instead of sorting an index of the blog. */
const isOfBlog = sql`+${posts.blogId} = ${next.of}`;

/** The unary plus keeps SQLite from choosing another index. */
const IS_LIVE = sql`+${posts.status} = 'published' and +${posts.deletedAt} is null and +${posts.publishedAt} <= ${sql.placeholder("now")}`;

const ids = (isDeleted: boolean) =>
  prepared((db: Db) =>
    db
      .select({ id: posts.id })
      .from(posts)
      .where(
        and(
          isDeleted ? eq(posts.blogId, next.of) : isOfBlog,
          gt(posts.id, next.after),
          isDeleted ? isNotNull(posts.deletedAt) : sql`+${posts.deletedAt} is null`,
        ),
      )
      .orderBy(asc(posts.id))
      .limit(PAGE_ROWS)
      .prepare(),
  );
const keptIds = ids(false);
const deletedIds = ids(true);

/** All posts and pages outside the trash, oldest first, with content. */
export function eachPost(platen: Platen, blog: Blog): AsyncGenerator<WholePost> {
  return wholePosts(platen, blog, keptIdsOf(platen, blog));
}

/** As eachPost, followed by those in the trash. */
export function eachPostWithTrash(platen: Platen, blog: Blog): AsyncGenerator<WholePost> {
  return wholePosts(platen, blog, eachPostIdWithTrash(platen, blog));
}

export async function* eachPostIdWithTrash(platen: Platen, blog: Blog): AsyncGenerator<{ id: number }> {
  yield* keptIdsOf(platen, blog);
  yield* rowsOf((after) => deletedIds(platen).all({ of: blog.id, after }));
}

function keptIdsOf(platen: Platen, blog: Blog): AsyncGenerator<{ id: number }> {
  return rowsOf((after) => keptIds(platen).all({ of: blog.id, after }));
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

const liveRows = prepared((db) =>
  db
    .select({ id: posts.id, slug: posts.slug })
    .from(posts)
    .where(and(isOfBlog, gt(posts.id, next.after), IS_LIVE))
    .orderBy(asc(posts.id))
    .limit(PAGE_ROWS)
    .prepare(),
);

/** Visible posts, hidden ones included. */
export function eachLivePost(platen: Platen, blog: Blog): AsyncGenerator<{ id: number; slug: string }> {
  const now = platen.now().getTime();
  return rowsOf((after) => liveRows(platen).all({ of: blog.id, after, now }));
}

const formerSlugs = prepared((db) =>
  db
    .select({ former: oldSlugs.slug, slug: posts.slug })
    .from(oldSlugs)
    .innerJoin(posts, eq(posts.id, oldSlugs.postId))
    .where(and(eq(oldSlugs.blogId, next.of), gt(oldSlugs.slug, next.after), IS_LIVE))
    .orderBy(asc(oldSlugs.slug))
    .limit(PAGE_ROWS)
    .prepare(),
);

/** Previous paths of visible posts, with the current slugs. */
export async function* eachPreviousPath(platen: Platen, blog: Blog) {
  const now = platen.now().getTime();
  let after = "";
  for (;;) {
    const rows = formerSlugs(platen).all({ of: blog.id, after, now });
    yield* rows;
    if (rows.length < PAGE_ROWS) return;
    after = (rows.at(-1) as { former: string }).former;
    await yieldToEventLoop();
  }
}

const blobRows = prepared((db) =>
  db
    .select()
    .from(blobs)
    .where(and(eq(blobs.blogId, next.of), gt(blobs.id, next.after)))
    .orderBy(asc(blobs.id))
    .limit(PAGE_ROWS)
    .prepare(),
);
const kommentRows = prepared((db) =>
  db
    .select()
    .from(komments)
    .where(and(eq(komments.postId, next.of), gt(komments.id, next.after)))
    .orderBy(asc(komments.id))
    .limit(PAGE_ROWS)
    .prepare(),
);
const revisionRows = prepared((db) =>
  db
    .select()
    .from(revisions)
    .where(and(eq(revisions.postId, next.of), gt(revisions.id, next.after)))
    .orderBy(asc(revisions.id))
    .limit(1)
    .prepare(),
);
const messageRows = prepared((db) =>
  db
    .select({ message: messages, slug: posts.slug })
    .from(messages)
    .leftJoin(posts, eq(posts.id, messages.postId))
    .where(and(eq(messages.blogId, next.of), gt(messages.id, next.after)))
    .orderBy(asc(messages.id))
    .limit(PAGE_ROWS)
    .prepare(),
);

export function eachFile(platen: Platen, blog: Blog): AsyncGenerator<StoredBlob> {
  return rowsOf((after) => blobRows(platen).all({ of: blog.id, after }));
}

export function eachKomment(platen: Platen, post: { id: number }) {
  return rowsOf((after) => kommentRows(platen).all({ of: post.id, after }));
}

/** One at a time: a post may have hundreds of long revisions. */
export async function* eachRevision(platen: Platen, post: { id: number }): AsyncGenerator<StoredRevision> {
  for await (const row of rowsOf((after) => revisionRows(platen).all({ of: post.id, after })))
    yield { id: row.id, replacedAt: row.replacedAt, fields: row.fields };
}

/** Each with the slug of the page it was written on, if that exists. */
export function eachMessage(platen: Platen, blog: Blog) {
  return rowsOf((after) =>
    messageRows(platen)
      .all({ of: blog.id, after })
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

/** Reads page by page and yields to the event loop in between. */
async function* rowsOf<Row extends { id: number }>(read: (after: number) => Row[]): AsyncGenerator<Row> {
  let after = 0;
  for (let rows = read(after); rows.length > 0; rows = read(after)) {
    for (const row of rows) yield row;
    after = (rows.at(-1) as Row).id;
    await yieldToEventLoop();
  }
}
