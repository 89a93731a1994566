import { eq, isNull } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { freeSlug, MAX_SLUG_LENGTH, slugify } from "../../blogs/slug";
import { deleteRows, findRowBy, findValues, hasValues, insertIfNew, upsertRow } from "../../database/rows";
import { oldSlugs, posts } from "../../database/schema";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import { instanceSecret } from "../../secrets";
import type { Post, PostRow } from "../post/post";

const MAX_SLUG_TEXT_LENGTH = 60;

/** A post in any status, but not in the trash. */
export const findPostWithSlug = findRowBy(posts, ["blogId", "slug"], isNull(posts.deletedAt));

/** `text` is the post's text, for a post without a title. */
type SlugSource = { slug?: string; title?: string; text: string };

/** Call this function in the transaction that stores the slug. @throws Refusal (invalid) */
export function resolveSlug(platen: Platen, blog: Blog, before: Post | null, source: SlugSource): string {
  const { slug, title, text } = source;
  if (slug) {
    const requested = slugify(slug, MAX_SLUG_LENGTH);
    if (requested === "") throw invalid({ slug: ["must contain a letter or digit"] });
    return requested === before?.slug ? requested : unusedSlug(platen, blog.id, requested, before?.id);
  }
  if (before) return before.slug;
  const made = slugify(title ?? "") || slugify(text.slice(0, MAX_SLUG_TEXT_LENGTH));
  const date = platen.now().toISOString().slice(0, "yyyy-mm-dd".length);
  return unusedSlug(platen, blog.id, made || date);
}

/**
 * Call this function in the transaction that stores the slug.
 * @param except id of the post itself
 * @param taken slugs of posts that are not stored yet
 */
export function unusedSlug(platen: Platen, blogId: number, wanted: string, except = 0, taken?: Set<string>) {
  const isTaken = (slug: string) => (findPostWithSlug(platen, { blogId, slug })?.id ?? except) !== except;
  return freeSlug(wanted, (slug) => taken?.has(slug) === true || isTaken(slug));
}

/** The old slug redirects, the new one no longer does. Call this function in the transaction of the save. */
export function storeOldSlug(platen: Platen, before: Pick<PostRow, "slug"> | null, after: PostRow): void {
  const { id: postId, blogId, slug } = after;
  if (before && before.slug !== slug)
    upsertRow(platen, oldSlugs, { blogId, slug: before.slug, postId }, ["blogId", "slug"]);
  deleteRows(platen, oldSlugs, { blogId, slug });
}

/**
 * Existing redirects stay.
 * @param paths below the blog's URL, decoded, without slashes at either end: "2013/05/tea", "?p=7"
 */
export function storeOldPaths(platen: Platen, { id: postId, blogId, slug }: PostRow, paths: string[]): void {
  for (const path of paths) if (path !== slug) insertIfNew(platen, oldSlugs, { blogId, slug: path, postId });
}

export function oldSlugsOf(platen: Platen, { id }: Pick<PostRow, "id">): string[] {
  return findValues(platen, oldSlugs, "slug", { postId: id }).sort();
}

/** @param isDeleted true finds only posts in the trash, false only other posts */
export function postWithOldSlug(platen: Platen, blog: Blog, slug: string, isDeleted = false) {
  const renamed = platen.db.select({ post: posts }).from(oldSlugs);
  const found = renamed.innerJoin(posts, eq(posts.id, oldSlugs.postId));
  const moved = found.where(hasValues(oldSlugs, { blogId: blog.id, slug })).get();
  return (moved?.post.deletedAt !== null) === isDeleted ? moved?.post : undefined;
}

/** UUIDs of version 8 (RFC 9562) that survive a new slug or domain, as feeds require (RFC 4287 4.2.6). */
export function permanentIds(platen: Platen): (kind: "blog" | "category" | "post", id: number) => string {
  // The name of a stored secret. A new name would change all ids.
  const secret = instanceSecret(platen, "feed identities");
  return (kind, id) => {
    const digits = new Bun.CryptoHasher("sha256", secret).update(`${kind} ${id}`).digest("hex");
    const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}`;
    return `urn:uuid:${uuid}-${digits.slice(20, 32)}`;
  };
}
