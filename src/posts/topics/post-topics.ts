import { and, asc, eq, exists, sql } from "drizzle-orm";
import { among, findRowBy, prepared } from "../../database/prepared";
import { categories, postTags, tags } from "../../database/schema";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import type { Category, Post } from "../post/post";
import { addTopic, type Topic, topicNamed } from "./topics";

/**
 * Returns the category with this id or name. A new name creates it. Call it in a transaction.
 * @returns undefined if not requested, null to clear the category
 * @throws Refusal (invalid)
 */
export function chosenCategory(
  platen: Platen,
  blogId: number,
  { category, categoryId }: { category?: string | null; categoryId?: number | null },
): number | null | undefined {
  if (categoryId !== undefined) {
    if (categoryId === null) return null;
    const found = categoryOfBlog(platen, blogId, categoryId);
    if (!found) throw invalid({ category_id: ["is not a category of this blog"] });
    return found.id;
  }
  if (category === undefined) return undefined;
  if (!category) return null;
  return (topicNamed(platen, "category", blogId, category) ?? addTopic(platen, "category", blogId, category))
    .id;
}

const withId = findRowBy(categories, ["id"]);

export function categoryById(platen: Platen, id: number): Category | undefined {
  return withId(platen, { id });
}

export function categoryOfBlog(platen: Platen, blogId: number, id: number): Category | undefined {
  const category = categoryById(platen, id);
  return category?.blogId === blogId ? category : undefined;
}

/** Replaces the post's tags and creates new ones. Call it in a transaction. @returns names of the tags */
export function tagPost(platen: Platen, blogId: number, postId: number, names: string[]): string[] {
  untag(platen).run(postId);
  return names.map((name, position) => {
    const tag = topicNamed(platen, "tag", blogId, name) ?? addTopic(platen, "tag", blogId, name);
    addToPost(platen).run(tag.id, position, postId);
    return tag.name;
  });
}

const addToPost = prepared((db) =>
  db.$client.query<void, [tagId: number, position: number, postId: number]>(
    `INSERT INTO post_tags (tag_id, position, post_id, status, type, hidden, listed_at)
     SELECT ?, ?, id, status, type, hidden, iif(deleted_at IS NULL, coalesce(published_at, created_at), NULL)
     FROM posts WHERE id = ?`,
  ),
);
const untag = prepared((db) => db.$client.query<void, [number]>("DELETE FROM post_tags WHERE post_id = ?"));

const ofPosts = prepared((db) =>
  db
    .select({ postId: postTags.postId, position: postTags.position, name: tags.name, slug: tags.slug })
    .from(postTags)
    .innerJoin(tags, eq(tags.id, postTags.tagId))
    .where(among(postTags.postId, "postIds"))
    .prepare(),
);

/** post id → tag names in order */
export function tagsOf(platen: Platen, postIds: number[]): Map<number, string[]> {
  const byPost = Map.groupBy(rowsOf(platen, postIds), (row) => row.postId);
  return new Map([...byPost].map(([postId, group]) => [postId, group.map((row) => row.name)]));
}

export function tagsWithSlugs(platen: Platen, postId: number): Pick<Topic, "name" | "slug">[] {
  return rowsOf(platen, [postId]);
}

function rowsOf(platen: Platen, postIds: number[]) {
  const rows = ofPosts(platen).all({ postIds: JSON.stringify(postIds) });
  return rows.sort((a, b) => a.position - b.position);
}

const used = prepared((db) =>
  db
    .select({ name: tags.name })
    .from(tags)
    .where(
      and(
        eq(tags.blogId, sql.placeholder("blogId")),
        // Checks only that a post exists, because a tag can have many posts.
        exists(db.select({ found: sql`1` }).from(postTags).where(eq(postTags.tagId, tags.id))),
      ),
    )
    .orderBy(asc(tags.nameKey))
    .limit(sql.placeholder("most"))
    .prepare(),
);

/** Lists names of tags in use. @param most maximum number */
export function tagNamesOf(platen: Platen, blogId: number, most = -1): string[] {
  return used(platen)
    .all({ blogId, most })
    .map(({ name }) => name);
}

/** Returns the names of a post's category and tags, without duplicates. */
export function topicNamesOf({ category, tags }: Pick<Post, "category" | "tags">): string[] {
  return [...new Set([...(category ? [category.name] : []), ...tags])];
}
