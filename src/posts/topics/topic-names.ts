import { and, eq, ne, sql } from "drizzle-orm";
import { freeSlug, slugify } from "../../blogs/slug";
import type { categories, tags } from "../../database/schema";
import type { Platen } from "../../platen";

/** Names that differ in case only are one: what categories and tags are compared by. */
export function nameKey(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** A new category or tag, at an address that no other of the blog's has. */
export function addTopic(
  platen: Platen,
  table: typeof categories | typeof tags,
  blogId: number,
  name: string,
) {
  return platen.db
    .insert(table)
    .values({ blogId, name, nameKey: nameKey(name), slug: topicSlug(platen, table, blogId, name) })
    .returning()
    .get();
}

/** Made of the name; no other of the blog's has it. @param besides an id that may have it */
export function topicSlug(
  platen: Platen,
  table: typeof categories | typeof tags,
  blogId: number,
  name: string,
  besides = 0,
): string {
  const isTaken = (slug: string) =>
    platen.db
      .select({ taken: sql`1` })
      .from(table)
      .where(and(eq(table.blogId, blogId), eq(table.slug, slug), ne(table.id, besides)))
      .get() !== undefined;
  return freeSlug(slugify(name) || "untitled", isTaken);
}
