import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { freeSlug, slugify } from "../../blogs/slug";
import { categories, postTags, tags } from "../../database/schema";
import type { Transaction } from "../../database/transactions";
import { invalid } from "../../errors";
import type { Category } from "./post";
import { nameKey, type PostChanges } from "./post-changes";

/** The category the changes ask for, made when its name is new; `undefined` where they do not speak of one. */
export function chosenCategory(
  tx: Transaction,
  blogId: number,
  changes: PostChanges,
): number | null | undefined {
  if (changes.categoryId !== undefined) {
    if (changes.categoryId === null) return null;
    const found = categoryById(tx, blogId, changes.categoryId);
    if (!found) throw invalid({ category_id: ["names no category of this blog"] });
    return found.id;
  }
  if (changes.category === undefined) return undefined;
  return changes.category ? categoryNamed(tx, blogId, changes.category).id : null;
}

function categoryById(db: Transaction, blogId: number, id: number): Category | undefined {
  return db
    .select()
    .from(categories)
    .where(and(eq(categories.id, id), eq(categories.blogId, blogId)))
    .get();
}

export function findCategory(db: Transaction, blogId: number, name: string): Category | undefined {
  return db
    .select()
    .from(categories)
    .where(and(eq(categories.blogId, blogId), eq(categories.nameKey, nameKey(name))))
    .get();
}

export function categoriesOf(db: Transaction, blogId: number): Category[] {
  return db
    .select()
    .from(categories)
    .where(eq(categories.blogId, blogId))
    .orderBy(asc(categories.name))
    .all();
}

function categoryNamed(tx: Transaction, blogId: number, name: string): Category {
  return findCategory(tx, blogId, name) ?? addNamed(tx, categories, blogId, name);
}

/** Replaces the post's tags; new names become tags of the blog. */
export function tagPost(tx: Transaction, blogId: number, postId: number, names: string[]): void {
  tx.delete(postTags).where(eq(postTags.postId, postId)).run();
  names.forEach((name, position) => {
    const tag =
      tx
        .select()
        .from(tags)
        .where(and(eq(tags.blogId, blogId), eq(tags.nameKey, nameKey(name))))
        .get() ?? addNamed(tx, tags, blogId, name);
    tx.insert(postTags).values({ postId, tagId: tag.id, position }).run();
  });
}

/** post id → its tags' names, in the order they were given. */
export function tagsOf(db: Transaction, postIds: number[]): Map<number, string[]> {
  const rows = db
    .select({ postId: postTags.postId, name: tags.name })
    .from(postTags)
    .innerJoin(tags, eq(tags.id, postTags.tagId))
    .where(inArray(postTags.postId, postIds))
    .orderBy(asc(postTags.postId), asc(postTags.position))
    .all();
  const byPost = Map.groupBy(rows, (row) => row.postId);
  return new Map([...byPost].map(([postId, group]) => [postId, group.map((row) => row.name)]));
}

/** The names of a blog's tags that are on a post, in their order. */
export function tagNamesOf(db: Transaction, blogId: number): string[] {
  const rows = db
    .selectDistinct({ name: tags.name })
    .from(tags)
    .innerJoin(postTags, eq(postTags.tagId, tags.id))
    .where(eq(tags.blogId, blogId))
    .orderBy(asc(tags.name))
    .all();
  return rows.map(({ name }) => name);
}

function addNamed(tx: Transaction, table: typeof categories | typeof tags, blogId: number, name: string) {
  const isTaken = (slug: string) =>
    tx
      .select({ taken: sql`1` })
      .from(table)
      .where(and(eq(table.blogId, blogId), eq(table.slug, slug)))
      .get() !== undefined;
  const slug = freeSlug(slugify(name) || "untitled", isTaken);
  return tx
    .insert(table)
    .values({ blogId, name, nameKey: nameKey(name), slug })
    .returning()
    .get();
}
