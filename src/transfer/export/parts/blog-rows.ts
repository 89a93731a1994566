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

export interface KeptRevision {
  id: number;
  replacedAt: Date;
  fields: RevisionFields;
}

/** Rows that are read at one time; of posts only their ids are. */
const AT_ONCE = 100;

type Db = Platen["db"];
const next = { after: sql.placeholder("after"), of: sql.placeholder("of") };

/** So that posts are walked along by their ids: an index of the blog's would have to be sorted for each portion. */
const isOfBlog = sql`+${posts.blogId} = ${next.of}`;

/** At `now`; no index is to be chosen for it. */
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
      .limit(AT_ONCE)
      .prepare(),
  );
const keptIds = ids(false);
const deletedIds = ids(true);

/** Posts and pages whatever their state, the oldest first, each with what it says. What is saved meanwhile is in it or not. */
export function postsOf(platen: Platen, blog: Blog): AsyncGenerator<WholePost> {
  return wholePosts(platen, blog, keptIdsOf(platen, blog));
}

/** The same with those in the trash, which come last. */
export function allPostsOf(platen: Platen, blog: Blog): AsyncGenerator<WholePost> {
  return wholePosts(platen, blog, allIdsOf(platen, blog));
}

/** Of the same posts in the same order. */
export async function* allIdsOf(platen: Platen, blog: Blog): AsyncGenerator<{ id: number }> {
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
    .limit(AT_ONCE)
    .prepare(),
);

/** Those that readers can see, also where no list has them. */
export function livePostsOf(platen: Platen, blog: Blog): AsyncGenerator<{ id: number; slug: string }> {
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
    .limit(AT_ONCE)
    .prepare(),
);

/** Where posts that readers can see used to be, and the slugs that they have now. */
export async function* formerAddressesOf(platen: Platen, blog: Blog) {
  const now = platen.now().getTime();
  let after = "";
  for (;;) {
    const rows = formerSlugs(platen).all({ of: blog.id, after, now });
    yield* rows;
    if (rows.length < AT_ONCE) return;
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
    .limit(AT_ONCE)
    .prepare(),
);
const kommentRows = prepared((db) =>
  db
    .select()
    .from(komments)
    .where(and(eq(komments.postId, next.of), gt(komments.id, next.after)))
    .orderBy(asc(komments.id))
    .limit(AT_ONCE)
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
    .limit(AT_ONCE)
    .prepare(),
);

export function filesOf(platen: Platen, blog: Blog): AsyncGenerator<StoredBlob> {
  return rowsOf((after) => blobRows(platen).all({ of: blog.id, after }));
}

export function kommentsOn(platen: Platen, post: { id: number }) {
  return rowsOf((after) => kommentRows(platen).all({ of: post.id, after }));
}

/** One by one: a post may have hundreds, each as long as itself. */
export async function* revisionsOf(platen: Platen, post: { id: number }): AsyncGenerator<KeptRevision> {
  for await (const row of rowsOf((after) => revisionRows(platen).all({ of: post.id, after })))
    yield { id: row.id, replacedAt: row.replacedAt, fields: row.fields };
}

/** With the slug of the page that each was written on, where that is there. */
export function messagesTo(platen: Platen, blog: Blog) {
  return rowsOf((after) =>
    messageRows(platen)
      .all({ of: blog.id, after })
      .map(({ message, slug }) => ({ ...message, slug })),
  );
}

/** How many there are of what not every format has a place for. */
export function countOthers({ db }: Platen, { id }: Blog) {
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

/** Page by page, other work in between. */
async function* rowsOf<Row extends { id: number }>(read: (after: number) => Row[]): AsyncGenerator<Row> {
  let after = 0;
  for (let rows = read(after); rows.length > 0; rows = read(after)) {
    for (const row of rows) yield row;
    after = (rows.at(-1) as Row).id;
    await yieldToEventLoop();
  }
}
