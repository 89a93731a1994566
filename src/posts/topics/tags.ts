import { and, asc, eq, inArray } from "drizzle-orm";
import { postTags, tags } from "../../database/schema";
import type { Platen } from "../../platen";
import { addTopic, nameKey } from "./topic-names";

export type Tag = typeof tags.$inferSelect;

/** Replaces the post's tags; new names become tags of the blog. To be called in a transaction. */
export function tagPost(platen: Platen, blogId: number, postId: number, names: string[]): void {
  platen.db.delete(postTags).where(eq(postTags.postId, postId)).run();
  names.forEach((name, position) => {
    const tag = findTag(platen, blogId, name) ?? addTopic(platen, tags, blogId, name);
    platen.db.insert(postTags).values({ postId, tagId: tag.id, position }).run();
  });
}

/** post id → its tags' names, in the order they were given. */
export function tagsOf(platen: Platen, postIds: number[]): Map<number, string[]> {
  const rows = platen.db
    .select({ postId: postTags.postId, name: tags.name })
    .from(postTags)
    .innerJoin(tags, eq(tags.id, postTags.tagId))
    .where(inArray(postTags.postId, postIds))
    .orderBy(asc(postTags.postId), asc(postTags.position))
    .all();
  const byPost = Map.groupBy(rows, (row) => row.postId);
  return new Map([...byPost].map(([postId, group]) => [postId, group.map((row) => row.name)]));
}

/** A post's tags in the order they were given, with their addresses. */
export function tagsWithAddress(platen: Platen, postId: number): Pick<Tag, "name" | "slug">[] {
  return platen.db
    .select({ name: tags.name, slug: tags.slug })
    .from(postTags)
    .innerJoin(tags, eq(tags.id, postTags.tagId))
    .where(eq(postTags.postId, postId))
    .orderBy(asc(postTags.position))
    .all();
}

/** The names of a blog's tags that are on a post, in their order. */
export function tagNamesOf(platen: Platen, blogId: number): string[] {
  const rows = platen.db
    .selectDistinct({ name: tags.name })
    .from(tags)
    .innerJoin(postTags, eq(postTags.tagId, tags.id))
    .where(eq(tags.blogId, blogId))
    .orderBy(asc(tags.name))
    .all();
  return rows.map(({ name }) => name);
}

function findTag(platen: Platen, blogId: number, name: string): Tag | undefined {
  return platen.db
    .select()
    .from(tags)
    .where(and(eq(tags.blogId, blogId), eq(tags.nameKey, nameKey(name))))
    .get();
}
