/** Redirects the old URLs of a post to its current URL. */
import { and, eq } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { prepared } from "../../database/prepared";
import { oldSlugs, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";

/**
 * Stores the old slug after a change. The new slug stops redirecting to other posts. Call it in the transaction of
 * the save.
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
 * Redirects old URLs of an imported post. Existing redirects stay.
 * @param paths relative to the blog's address, decoded, without leading and trailing slashes: "2013/05/tea", "?p=7"
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

export function oldSlugsOf(platen: Platen, { id }: Pick<PostRow, "id">): string[] {
  const rows = platen.db.select({ slug: oldSlugs.slug }).from(oldSlugs).where(eq(oldSlugs.postId, id)).all();
  return rows.map(({ slug }) => slug).sort();
}

/** @param isDeleted finds a deleted post instead */
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
