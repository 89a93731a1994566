import { and, asc, eq, exists, sql } from "drizzle-orm";
import { among, prepared } from "../../database/prepared";
import { posts, postTags, tags } from "../../database/schema";
import type { Platen } from "../../platen";
import { addTopic, type Topic, topicNamed } from "./topic-names";

/** Replaces the post's tags, and gives their names; new ones become tags of the blog. To be called in a transaction. */
export function tagPost(platen: Platen, blogId: number, postId: number, names: string[]): string[] {
  untag(platen).run({ postId });
  return names.map((name, position) => {
    const tag = topicNamed(platen, "tag", blogId, name) ?? addTopic(platen, "tag", blogId, name);
    addToPost(platen).run({ postId, tagId: tag.id, position });
    return tag.name;
  });
}

const { deletedAt, publishedAt, createdAt } = posts;
const addToPost = prepared((db) =>
  db
    .insert(postTags)
    .select(
      db
        .select({
          postId: posts.id,
          tagId: sql`${sql.placeholder("tagId")}`.as("tag_id"),
          position: sql`${sql.placeholder("position")}`.as("position"),
          status: posts.status,
          type: posts.type,
          hidden: posts.hidden,
          listedAt: sql`iif(${deletedAt} is null, coalesce(${publishedAt}, ${createdAt}), null)`.as(
            "listed_at",
          ),
        })
        .from(posts)
        .where(eq(posts.id, sql.placeholder("postId"))),
    )
    .prepare(),
);
const untag = prepared((db) =>
  db
    .delete(postTags)
    .where(eq(postTags.postId, sql.placeholder("postId")))
    .prepare(),
);

const ofPosts = prepared((db) =>
  db
    .select({ postId: postTags.postId, position: postTags.position, name: tags.name })
    .from(postTags)
    .innerJoin(tags, eq(tags.id, postTags.tagId))
    .where(among(postTags.postId, "postIds"))
    .prepare(),
);

/** post id → its tags' names, in the order they were given. */
export function tagsOf(platen: Platen, postIds: number[]): Map<number, string[]> {
  const rows = ofPosts(platen).all({ postIds: JSON.stringify(postIds) });
  const byPost = Map.groupBy(
    rows.sort((a, b) => a.position - b.position),
    (row) => row.postId,
  );
  return new Map([...byPost].map(([postId, group]) => [postId, group.map((row) => row.name)]));
}

const ofPost = prepared((db) =>
  db
    .select({ position: postTags.position, name: tags.name, slug: tags.slug })
    .from(postTags)
    .innerJoin(tags, eq(tags.id, postTags.tagId))
    .where(eq(postTags.postId, sql.placeholder("postId")))
    .prepare(),
);

/** A post's tags in the order they were given, with their addresses. */
export function tagsWithAddress(platen: Platen, postId: number): Pick<Topic, "name" | "slug">[] {
  return ofPost(platen)
    .all({ postId })
    .sort((a, b) => a.position - b.position);
}

const used = prepared((db) =>
  db
    .select({ name: tags.name })
    .from(tags)
    .where(
      and(
        eq(tags.blogId, sql.placeholder("blogId")),
        // Looks for one post of each tag: there may be any number.
        exists(db.select({ found: sql`1` }).from(postTags).where(eq(postTags.tagId, tags.id))),
      ),
    )
    .orderBy(asc(tags.nameKey))
    .limit(sql.placeholder("most"))
    .prepare(),
);

/** The names of a blog's tags that are on a post, in their order. @param most the first so many */
export function tagNamesOf(platen: Platen, blogId: number, most = -1): string[] {
  return used(platen)
    .all({ blogId, most })
    .map(({ name }) => name);
}
