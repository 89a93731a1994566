import { asc, eq } from "drizzle-orm";
import { freeSlug, slugify } from "../../blogs/slug";
import { rowWith } from "../../database/prepared";
import { categories, tags } from "../../database/schema";
import type { Platen } from "../../platen";

export const TOPIC_TABLES = { category: categories, tag: tags } as const;
export type TopicKind = keyof typeof TOPIC_TABLES;
/** A category or a tag. */
export type Topic = typeof categories.$inferSelect;

/** Names that differ in case only are one: what categories and tags are compared by. */
export function nameKey(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

const NAMED = {
  category: rowWith(categories, ["blogId", "nameKey"]),
  tag: rowWith(tags, ["blogId", "nameKey"]),
};
const AT_SLUG = { category: rowWith(categories, ["blogId", "slug"]), tag: rowWith(tags, ["blogId", "slug"]) };

export function topicNamed(platen: Platen, kind: TopicKind, blogId: number, name: string): Topic | undefined {
  return NAMED[kind](platen, { blogId, nameKey: nameKey(name) });
}

export function topicAtSlug(
  platen: Platen,
  kind: TopicKind,
  blogId: number,
  slug: string,
): Topic | undefined {
  return AT_SLUG[kind](platen, { blogId, slug });
}

/** Those of a blog. @param most the first so many */
export function topicsByName(platen: Platen, kind: TopicKind, blogId: number, most = -1): Topic[] {
  const table = TOPIC_TABLES[kind];
  return platen.db
    .select()
    .from(table)
    .where(eq(table.blogId, blogId))
    .orderBy(asc(table.nameKey))
    .limit(most)
    .all();
}

/** A new category or tag, at an address that no other of the blog's has. */
export function addTopic(platen: Platen, kind: TopicKind, blogId: number, name: string): Topic {
  return platen.db
    .insert(TOPIC_TABLES[kind])
    .values({ blogId, name, nameKey: nameKey(name), slug: topicSlug(platen, kind, blogId, name) })
    .returning()
    .get();
}

/** Made of the name; no other of the blog's has it. @param besides an id that may have it */
export function topicSlug(
  platen: Platen,
  kind: TopicKind,
  blogId: number,
  name: string,
  besides = 0,
): string {
  const isTaken = (slug: string) => (topicAtSlug(platen, kind, blogId, slug)?.id ?? besides) !== besides;
  return freeSlug(slugify(name) || "untitled", isTaken);
}
