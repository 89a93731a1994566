import { and, desc, eq, gt, inArray, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { categories, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Post, PostType, Status } from "../post/post";
import { withBelongings } from "./post-by-id";
import { matches } from "./search";

/** Where a list is gone on with: the time and id of a post. A post made meanwhile shifts nothing. */
export interface Cursor {
  /** Milliseconds. */
  at: number;
  id: number;
}

export interface Recent {
  limit: number;
  offset?: number;
  /** Only what is older than that. */
  after?: Cursor;
  /** Only what is newer than that, the nearest of it. */
  before?: Cursor;
  type?: PostType;
  status?: Status;
  /** Words to look for. */
  filter?: string;
  /** Only posts that have this property, and the other way round. */
  withProperty?: string;
  withoutProperties?: string[];
  isTitled?: boolean;
}

const shownAt = sql<number>`coalesce(${posts.publishedAt}, ${posts.createdAt})`;

/** Posts and pages of a blog in every state but deleted, newest first, whole. */
export function recentPosts(platen: Platen, blog: Blog, asked: Recent): { posts: Post[]; hasMore: boolean } {
  const found = platen.db
    .select({ id: posts.id })
    .from(posts)
    .where(conditionOf(blog, asked))
    .orderBy(...(asked.before ? [shownAt, posts.id] : [desc(shownAt), desc(posts.id)]))
    .limit(asked.limit + 1)
    .offset(asked.offset ?? 0)
    .all();
  const ids = found.slice(0, asked.limit).map(({ id }) => id);
  const rows = platen.db
    .select()
    .from(posts)
    .leftJoin(categories, eq(categories.id, posts.categoryId))
    .where(inArray(posts.id, ids))
    .orderBy(desc(shownAt), desc(posts.id))
    .all();
  const whole = rows.map((row) => ({ ...row.posts, category: row.categories, blog }));
  return { posts: withBelongings(platen.db, whole), hasMore: found.length > asked.limit };
}

export function cursorOf(post: Post): Cursor {
  return { at: (post.publishedAt ?? post.createdAt).getTime(), id: post.id };
}

function conditionOf(blog: Blog, asked: Recent): SQL | undefined {
  const { after, before, filter } = asked;
  return and(
    eq(posts.blogId, blog.id),
    isNull(posts.deletedAt),
    asked.type && eq(posts.type, asked.type),
    asked.status && eq(posts.status, asked.status),
    asked.isTitled === undefined ? undefined : sql`(${posts.title} <> '') = ${asked.isTitled ? 1 : 0}`,
    asked.withProperty === undefined ? undefined : has(asked.withProperty),
    ...(asked.withoutProperties ?? []).map((name) => sql`not ${has(name)}`),
    after && or(lt(shownAt, after.at), and(lte(shownAt, after.at), lt(posts.id, after.id))),
    before && or(gt(shownAt, before.at), and(sql`${shownAt} = ${before.at}`, gt(posts.id, before.id))),
    filter?.trim() ? matches(filter) : undefined,
  );
}

function has(property: string): SQL {
  return sql`exists (select 1 from json_each(${posts.properties}) where key = ${property})`;
}
