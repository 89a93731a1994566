import type { Blog } from "../../blogs/blogs";
import { freeSlug, MAX_SLUG_LENGTH, slugify } from "../../blogs/slug";
import { prepared } from "../../database/prepared";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import { newSecret } from "../../secrets";
import type { Post } from "../post/post";
import type { PostChanges } from "./post-changes";

/** Number of characters of an untitled post's text used for its slug. */
const TEXT_USED = 60;

const takenBy = prepared((db) =>
  db.$client.query<{ id: number }, [blogId: number, slug: string, except: number]>(
    "SELECT id FROM posts WHERE blog_id = ? AND slug = ? AND deleted_at IS NULL AND id <> ?",
  ),
);

/**
 * Returns the requested slug, the current one, or one made from title, text or date. Call it in the transaction that
 * stores the slug.
 * @throws Refusal (invalid)
 */
export function resolveSlug(
  platen: Platen,
  blog: Blog,
  before: Post | null,
  { slug, title }: PostChanges,
  text: string,
  at: Date,
): string {
  if (slug) {
    const wanted = slugify(slug, MAX_SLUG_LENGTH);
    if (wanted === "") throw invalid({ slug: ["must contain a letter or digit"] });
    return wanted === before?.slug ? wanted : unusedSlug(platen, blog.id, wanted, before?.id);
  }
  if (before) return before.slug;
  const made = slugify(title ?? "") || slugify(text.slice(0, TEXT_USED));
  return unusedSlug(platen, blog.id, made || at.toISOString().slice(0, "yyyy-mm-dd".length));
}

/**
 * Returns the slug, numbered if taken. Call it in the transaction that stores the slug.
 * @param except id of the post itself
 * @param promised slugs of posts that are not stored yet
 */
export function unusedSlug(
  platen: Platen,
  blogId: number,
  wanted: string,
  except = 0,
  promised?: ReadonlySet<string>,
): string {
  return freeSlug(
    wanted,
    (slug) => promised?.has(slug) === true || takenBy(platen).get(blogId, slug, except) !== null,
  );
}

const LENGTH = 16;

/** Returns the share id, which stays the same while the post is shared; null if not shared. */
export function resolveShareId(before: Post | null, isShared: boolean | undefined): string | null {
  if (isShared === undefined) return before?.shareId ?? null;
  return isShared ? (before?.shareId ?? newSecret(LENGTH)) : null;
}
