import { and, asc, count, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { formerTopics, posts, postTags } from "../../database/schema";
import type { Platen } from "../../platen";
import { nameKey, TOPIC_TABLES, type Topic, type TopicKind, topicAtSlug } from "./topic-names";

/** With how many posts and pages are under it, in whatever state; those in the trash apart. */
export interface CountedTopic extends Topic {
  posts: number;
}

/** One page of a blog's categories or tags, by name. @param words part of the name; empty for all */
export function topicsOfBlog(
  platen: Platen,
  blog: Blog,
  kind: TopicKind,
  { words, page, limit }: { words: string; page: number; limit: number },
): { topics: CountedTopic[]; total: number } {
  const table = TOPIC_TABLES[kind];
  const found = and(
    eq(table.blogId, blog.id),
    words === "" ? undefined : sql`instr(${table.nameKey}, ${nameKey(words)}) > 0`,
  );
  const total = platen.db.select({ total: count() }).from(table).where(found).get()?.total ?? 0;
  const rows: Topic[] = platen.db
    .select()
    .from(table)
    .where(found)
    .orderBy(asc(table.nameKey))
    .limit(limit)
    .offset((page - 1) * limit)
    .all();
  return { topics: counted(platen, blog, kind, rows), total };
}

export function topicOfBlog(
  platen: Platen,
  blog: Blog,
  kind: TopicKind,
  id: number,
): CountedTopic | undefined {
  const table = TOPIC_TABLES[kind];
  const row: Topic | undefined = platen.db
    .select()
    .from(table)
    .where(and(eq(table.id, id), eq(table.blogId, blog.id)))
    .get();
  return row && counted(platen, blog, kind, [row])[0];
}

function counted(platen: Platen, blog: Blog, kind: TopicKind, rows: Topic[]): CountedTopic[] {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const counts = kind === "category" ? inCategories(platen, blog, ids) : withTags(platen, ids);
  return rows.map((row) => ({ ...row, posts: counts.get(row.id) ?? 0 }));
}

function inCategories(platen: Platen, blog: Blog, ids: number[]): Map<number, number> {
  const { categoryId, blogId, deletedAt } = posts;
  const rows = platen.db
    .select({ id: categoryId, posts: count() })
    .from(posts)
    .where(and(inArray(categoryId, ids), eq(blogId, blog.id), isNull(deletedAt)))
    .groupBy(categoryId)
    .all();
  return new Map(rows.map((row) => [row.id as number, row.posts]));
}

/** Counted in the index. */
function withTags(platen: Platen, ids: number[]): Map<number, number> {
  const { tagId, status, type, listedAt } = postTags;
  const rows = platen.db
    .select({ id: tagId, posts: count() })
    .from(postTags)
    .where(
      and(
        inArray(tagId, ids),
        // All there are: named, what is in the trash is passed over.
        ...[inArray(status, posts.status.enumValues), inArray(type, posts.type.enumValues)],
        isNotNull(listedAt),
      ),
    )
    .groupBy(tagId)
    .all();
  return new Map(rows.map((row) => [row.id, row.posts]));
}

/** What has become of the category or tag that was at this address; null for one that was deleted, undefined where none was, or another is. */
export function formerTopic(
  platen: Platen,
  blog: Blog,
  kind: TopicKind,
  slug: string,
): Topic | null | undefined {
  if (topicAtSlug(platen, kind, blog.id, slug)) return undefined;
  const was = and(eq(formerTopics.blogId, blog.id), eq(formerTopics.kind, kind), eq(formerTopics.slug, slug));
  const former = platen.db.select().from(formerTopics).where(was).get();
  if (!former) return undefined;
  return former.topicId === null ? null : (topicOfBlog(platen, blog, kind, former.topicId) ?? null);
}
