import { and, inArray, isNull } from "drizzle-orm";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";

/** post id → as much of it as a name takes; those that are gone, or in the trash, are not in it. */
export function postsNamed(
  { db }: Platen,
  ids: number[],
): Map<number, Pick<PostRow, "id" | "title" | "excerpt" | "slug">> {
  if (ids.length === 0) return new Map();
  const { id, title, excerpt, slug } = posts;
  const rows = db
    .select({ id, title, excerpt, slug })
    .from(posts)
    .where(and(inArray(posts.id, ids), isNull(posts.deletedAt)))
    .all();
  return new Map(rows.map((row) => [row.id, row]));
}
