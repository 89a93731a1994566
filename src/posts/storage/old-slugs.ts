/** A post whose slug has changed is still reached at its former address, which redirects to the present one. */
import { and, eq } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { prepared } from "../../database/prepared";
import { oldSlugs, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";

/**
 * Remembers the slug a post had, if it has another now. The new one stops being anybody's former address: a post at an
 * address goes before a redirect. To be called in the transaction that writes the post.
 */
export function storeOldSlug(platen: Platen, before: Pick<PostRow, "slug"> | null, after: PostRow): void {
  const { blogId, id: postId } = after;
  if (before && before.slug !== after.slug)
    platen.db
      .insert(oldSlugs)
      .values({ blogId, slug: before.slug, postId })
      .onConflictDoUpdate({ target: [oldSlugs.blogId, oldSlugs.slug], set: { postId } })
      .run();
  forget(platen).run(blogId, after.slug);
}

/**
 * Has addresses that a post had elsewhere lead to it: paths below the blog's address, decoded, without a slash at either
 * end ("2013/05/tea", "?p=7"). One that leads to a post already stays as it is. To be called in the transaction that
 * writes the post.
 */
export function storeOldPaths(platen: Platen, { id: postId, blogId, slug }: PostRow, paths: string[]): void {
  for (const path of paths) if (path !== slug) remember(platen).run(blogId, path, postId);
}

const remember = prepared((db) =>
  db.$client.query<void, [number, string, number]>(
    "INSERT INTO old_slugs (blog_id, slug, post_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  ),
);
const forget = prepared((db) =>
  db.$client.query<void, [number, string]>("DELETE FROM old_slugs WHERE blog_id = ? AND slug = ?"),
);

/** The slugs that the post used to have, and that lead to it still, by name. */
export function oldSlugsOf(platen: Platen, { id }: Pick<PostRow, "id">): string[] {
  const rows = platen.db.select({ slug: oldSlugs.slug }).from(oldSlugs).where(eq(oldSlugs.postId, id)).all();
  return rows.map(({ slug }) => slug).sort();
}

/** The post that used to have this slug. @param isDeleted where it was deleted since, and only then */
export function postWithOldSlug(
  platen: Platen,
  blog: Blog,
  slug: string,
  isDeleted = false,
): PostRow | undefined {
  const moved = platen.db
    .select({ post: posts })
    .from(oldSlugs)
    .innerJoin(posts, eq(posts.id, oldSlugs.postId))
    .where(and(eq(oldSlugs.blogId, blog.id), eq(oldSlugs.slug, slug)))
    .get();
  return (moved?.post.deletedAt !== null) === isDeleted ? moved?.post : undefined;
}
