import { type Column, type SQL, sql } from "drizzle-orm";
import { posts } from "../../database/schema";

/**
 * A place in an ordered list: behind the post with this key and id. Unlike a number of posts to skip, it stays where it
 * is when others are published, changed or deleted.
 */
export interface Cursor {
  /** What the list is sorted by: a text, or milliseconds; null where the post has no such time. */
  key: string | number | null;
  id: number;
}

/**
 * The condition "further down the list than the cursor". Equal keys go by id in the same direction; having no key comes
 * before all keys, as SQLite sorts it.
 * @param mayBeNull whether posts of the list have no key
 */
export function behind(
  { key, id }: Cursor,
  by: SQL | Column,
  order: "ascending" | "descending",
  mayBeNull = false,
): SQL {
  const isDescending = order === "descending";
  if (key === null)
    return isDescending
      ? sql`(${by} is null and ${posts.id} < ${id})`
      : sql`(${by} is not null or ${posts.id} > ${id})`;
  // The first comparison alone lets SQLite begin at the place in an index.
  if (!isDescending) return sql`(${by} >= ${key} and (${by} > ${key} or ${posts.id} > ${id}))`;
  const below = sql`(${by} <= ${key} and (${by} < ${key} or ${posts.id} < ${id}))`;
  return mayBeNull ? sql`(${below} or ${by} is null)` : below;
}
