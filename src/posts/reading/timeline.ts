import { and, desc, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { categories, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { matches } from "../parts/search-index";
import { wholePost, withBelongings } from "../parts/whole-post";
import type { Post, PostType, Status, WholePost } from "../post/post";
import { POST_TIME } from "../post/post-columns";
import { behind, type Cursor } from "./cursor";

export interface TimelineQuery {
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

/** Posts and pages of a blog in every state but deleted, newest first, whole. */
export function timelinePosts(
  platen: Platen,
  blog: Blog,
  asked: TimelineQuery,
): { posts: WholePost[]; hasMore: boolean } {
  const found = platen.db
    .select({ id: posts.id })
    .from(posts)
    .where(conditionOf(blog, asked))
    .orderBy(...(asked.before ? [POST_TIME, posts.id] : [desc(POST_TIME), desc(posts.id)]))
    .limit(asked.limit + 1)
    .offset(asked.offset ?? 0)
    .all();
  const ids = found.slice(0, asked.limit).map(({ id }) => id);
  const rows = platen.db
    .select()
    .from(posts)
    .leftJoin(categories, eq(categories.id, posts.categoryId))
    .where(inArray(posts.id, ids))
    .orderBy(desc(POST_TIME), desc(posts.id))
    .all();
  const listed = rows.map((row) => ({ ...row.posts, category: row.categories, blog }));
  const whole = withBelongings(platen, listed).map((post) => wholePost(platen, post));
  return { posts: whole, hasMore: found.length > asked.limit };
}

/** Its key is the post's time, in milliseconds. */
export function cursorOf(post: Post): Cursor {
  return { key: (post.publishedAt ?? post.createdAt).getTime(), id: post.id };
}

function conditionOf(blog: Blog, asked: TimelineQuery): SQL | undefined {
  const { after, before, filter } = asked;
  return and(
    eq(posts.blogId, blog.id),
    isNull(posts.deletedAt),
    asked.type && eq(posts.type, asked.type),
    asked.status && eq(posts.status, asked.status),
    asked.isTitled === undefined ? undefined : sql`(${posts.title} <> '') = ${asked.isTitled ? 1 : 0}`,
    asked.withProperty === undefined ? undefined : has(asked.withProperty),
    ...(asked.withoutProperties ?? []).map((name) => sql`not ${has(name)}`),
    after && behind(after, POST_TIME, "descending"),
    before && behind(before, POST_TIME, "ascending"),
    filter?.trim() ? matches(filter) : undefined,
  );
}

function has(property: string): SQL {
  return sql`exists (select 1 from json_each(${posts.properties}) where key = ${property})`;
}
