import { and, asc, eq, exists, getTableColumns, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { freeSlug, slugify } from "../../blogs/slug";
import {
  among,
  countRows,
  deleteRows,
  findRow,
  findRowBy,
  findRowByColumn,
  findRows,
  findValues,
  hasValues,
  prepareSql,
} from "../../database/rows";
import { categories, formerTopics, postTags, tags } from "../../database/schema";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import type { Category, Post, Status } from "../post/post";
import { runListStatements } from "./post-list-queries";

export const TOPIC_TABLES = { category: categories, tag: tags } as const;
export type TopicKind = keyof typeof TOPIC_TABLES;
export type Topic = typeof categories.$inferSelect;

export function topicNameKey(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

const findTopicBy = <Name extends "nameKey" | "slug">(name: Name) => ({
  category: findRowBy(categories, ["blogId", name]),
  tag: findRowBy(tags, ["blogId", name]),
});
const NAMED = findTopicBy("nameKey");
const AT_SLUG = findTopicBy("slug");

export function topicNamed(platen: Platen, kind: TopicKind, blogId: number, name: string): Topic | undefined {
  return NAMED[kind](platen, { blogId, nameKey: topicNameKey(name) });
}

export function topicAtSlug(platen: Platen, kind: TopicKind, blogId: number, slug: string) {
  return AT_SLUG[kind](platen, { blogId, slug });
}

export function topicsByName(platen: Platen, kind: TopicKind, blogId: number, most = -1): Topic[] {
  const table = TOPIC_TABLES[kind];
  return findRows(platen, table, { blogId }, { orderBy: table.nameKey, limit: most });
}

export function addTopic(platen: Platen, kind: TopicKind, blogId: number, name: string): Topic {
  const slug = topicSlug(platen, kind, blogId, name);
  const row = { blogId, name, nameKey: topicNameKey(name), slug };
  return platen.db.insert(TOPIC_TABLES[kind]).values(row).returning().get();
}

export function topicSlug(platen: Platen, kind: TopicKind, blogId: number, name: string, exceptId = 0) {
  const isTaken = (slug: string) => (topicAtSlug(platen, kind, blogId, slug)?.id ?? exceptId) !== exceptId;
  return freeSlug(slugify(name) || "untitled", isTaken);
}

/** `posts` includes pages, but not the trash. */
export interface CountedTopic extends Topic {
  posts: number;
}

const POSTS_OF = {
  category: sql<number>`(SELECT count(*) FROM posts
    WHERE category_id = categories.id AND posts.blog_id = categories.blog_id AND deleted_at IS NULL)`,
  tag: sql<number>`(SELECT count(*) FROM post_tags WHERE tag_id = tags.id AND listed_at IS NOT NULL)`,
};

function selectCounted({ db }: Platen, kind: TopicKind) {
  const columns = { ...getTableColumns(TOPIC_TABLES[kind]), posts: POSTS_OF[kind] };
  return db.select(columns).from(TOPIC_TABLES[kind]);
}

type TopicQuery = { words: string; page: number; limit: number };

export function topicsOfBlog(platen: Platen, blog: Blog, kind: TopicKind, query: TopicQuery) {
  const { words, page, limit } = query;
  const { blogId, nameKey } = TOPIC_TABLES[kind];
  const hasWords = words === "" ? undefined : sql`instr(${nameKey}, ${topicNameKey(words)}) > 0`;
  const found = and(eq(blogId, blog.id), hasWords);
  const offset = (page - 1) * limit;
  const rows = selectCounted(platen, kind).where(found).orderBy(asc(nameKey)).limit(limit).offset(offset);
  return { topics: rows.all(), total: countRows(platen, TOPIC_TABLES[kind], found) };
}

export function topicOfBlog(platen: Platen, blog: Blog, kind: TopicKind, topicId: number) {
  const isTopic = hasValues(TOPIC_TABLES[kind], { id: topicId, blogId: blog.id });
  return selectCounted(platen, kind).where(isTopic).get();
}

export interface CountedCategory extends Category {
  counts: Record<"published" | "scheduled" | "draft" | "archived" | "all", number>;
}

type CategoryCount = { categoryId: number; status: Status; isFuture: 0 | 1; n: number };

export async function categoriesWithCounts(platen: Platen, blog: Blog): Promise<CountedCategory[]> {
  const countsByStatus = `SELECT category_id AS categoryId, status, status = 'published' AND published_at > +$now AS isFuture, count(*) AS n
    FROM posts INDEXED BY posts_of_category
    WHERE category_id IN (SELECT id FROM categories WHERE blog_id = +$blogId) AND blog_id = +$blogId AND deleted_at IS NULL
    GROUP BY 1, 2, 3`;
  const values = { blogId: blog.id, now: platen.now().getTime() };
  const [rows] = await runListStatements<[CategoryCount]>(platen, [{ sql: countsByStatus, values }]);
  const byCategory = Map.groupBy(rows, ({ categoryId }) => categoryId);
  return topicsByName(platen, "category", blog.id).map((category) => {
    const counts = { published: 0, scheduled: 0, draft: 0, archived: 0, all: 0 };
    for (const { status, isFuture, n } of byCategory.get(category.id) ?? []) {
      counts[isFuture ? "scheduled" : status] += n;
      counts.all += n;
    }
    return { ...category, counts };
  });
}

/** Returns the topic that had this slug: null if deleted, undefined if none had it or one has it now. */
export function formerTopic(platen: Platen, blog: Blog, kind: TopicKind, slug: string) {
  if (topicAtSlug(platen, kind, blog.id, slug)) return undefined;
  const entry = findRow(platen, formerTopics, { blogId: blog.id, kind, slug });
  if (!entry) return undefined;
  return entry.topicId === null ? null : (topicOfBlog(platen, blog, kind, entry.topicId) ?? null);
}

type CategoryChange = { category?: string | null; categoryId?: number | null };

/** A new name creates a category. Call this function in a transaction. @throws Refusal (invalid) */
export function resolveCategory(
  platen: Platen,
  blogId: number,
  before: Post | null,
  changes: CategoryChange,
) {
  const { category, categoryId } = changes;
  if (categoryId !== undefined) {
    if (categoryId === null) return null;
    const found = categoryOfBlog(platen, blogId, categoryId);
    if (!found) throw invalid({ category_id: ["is not a category of this blog"] });
    return found.id;
  }
  if (category === undefined) return before?.categoryId ?? null;
  if (!category) return null;
  const topic = topicNamed(platen, "category", blogId, category);
  return (topic ?? addTopic(platen, "category", blogId, category)).id;
}

export const categoryById = findRowByColumn(categories, "id");

export function categoryOfBlog(platen: Platen, blogId: number, id: number): Category | undefined {
  const category = categoryById(platen, id);
  return category?.blogId === blogId ? category : undefined;
}

/**
 * Replaces the post's tags. Call this function in a transaction.
 * @returns names as stored, which may differ in case or width
 */
export function tagPost(platen: Platen, blogId: number, postId: number, names: string[]): string[] {
  deleteRows(platen, postTags, { postId });
  return names.map((name, position) => {
    const tag = topicNamed(platen, "tag", blogId, name) ?? addTopic(platen, "tag", blogId, name);
    addToPost(platen).run(tag.id, position, postId);
    return tag.name;
  });
}

const addToPost = prepareSql<void, [tagId: number, position: number, postId: number]>(
  `INSERT INTO post_tags (tag_id, position, post_id, status, type, hidden, listed_at)
   SELECT ?, ?, id, status, type, hidden, iif(deleted_at IS NULL, coalesce(published_at, created_at), NULL)
   FROM posts WHERE id = ?`,
);

export function tagsOf(platen: Platen, postIds: number[]): Map<number, string[]> {
  const byPost = Map.groupBy(rowsOf(platen, postIds), (row) => row.postId);
  return new Map([...byPost].map(([postId, group]) => [postId, group.map((row) => row.name)]));
}

export function tagsWithSlugs(platen: Platen, postId: number): Pick<Topic, "name" | "slug">[] {
  return rowsOf(platen, [postId]);
}

function rowsOf({ db }: Platen, postIds: number[]) {
  const columns = { postId: postTags.postId, name: tags.name, slug: tags.slug };
  const found = db.select(columns).from(postTags).innerJoin(tags, eq(tags.id, postTags.tagId));
  return found.where(among(postTags.postId, postIds)).orderBy(postTags.position).all();
}

export function tagNamesOf(platen: Platen, blogId: number, most = -1): string[] {
  // Only checks whether a post exists, because a tag can have many posts.
  const { db } = platen;
  const isUsed = exists(db.select({ found: sql`1` }).from(postTags).where(eq(postTags.tagId, tags.id)));
  const found = and(eq(tags.blogId, blogId), isUsed);
  return findValues(platen, tags, "name", found, { orderBy: tags.nameKey, limit: most });
}

export function topicNamesOf({ category, tags }: Pick<Post, "category" | "tags">): string[] {
  return [...new Set([...(category ? [category.name] : []), ...tags])];
}
