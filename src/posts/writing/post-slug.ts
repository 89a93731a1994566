import type { Blog } from "../../blogs/blogs";
import { freeSlug, LONGEST_SLUG, slugify } from "../../blogs/slug";
import { prepared } from "../../database/prepared";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import { newSecret } from "../../secrets";
import type { Post } from "../post/post";
import type { PostChanges } from "./post-changes";

/** How much of an untitled post's text its slug is made from, in characters. */
const TEXT_USED = 60;

/** Asked once for each post of the same title, which may be thousands. */
const takenBy = prepared((db) =>
  db.$client.query<{ id: number }, [blogId: number, slug: string, except: number]>(
    "SELECT id FROM posts WHERE blog_id = ? AND slug = ? AND deleted_at IS NULL AND id <> ?",
  ),
);

/**
 * The slug asked for, the one the post has, or for a new post one made from its title, its text or the day. To be
 * called in the transaction that writes it, or another post may take it.
 * @throws Refusal (invalid) for a wish without letters or digits
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
    const wish = slugify(slug, LONGEST_SLUG);
    if (wish === "") throw invalid({ slug: ["must hold letters or digits"] });
    return wish === before?.slug ? wish : unusedSlug(platen, blog.id, wish, before?.id);
  }
  if (before) return before.slug;
  const made = slugify(title ?? "") || slugify(text.slice(0, TEXT_USED));
  return unusedSlug(platen, blog.id, made || at.toISOString().slice(0, "yyyy-mm-dd".length));
}

/**
 * The wish, with a suffix where another post has it. To be called in the transaction that writes it.
 * @param except the id of the post that is to have it
 * @param promised slugs that posts will have that are not written yet
 */
export function unusedSlug(
  platen: Platen,
  blogId: number,
  wish: string,
  except = 0,
  promised?: ReadonlySet<string>,
): string {
  return freeSlug(
    wish,
    (slug) => promised?.has(slug) === true || takenBy(platen).get(blogId, slug, except) !== null,
  );
}

/** Bytes of randomness in a share id. */
const LENGTH = 16;

/** The unguessable name of a post's share link, kept for as long as the post stays shared; null: it has none. */
export function resolveShareId(before: Post | null, isShared: boolean | undefined): string | null {
  if (isShared === undefined) return before?.shareId ?? null;
  return isShared ? (before?.shareId ?? newSecret(LENGTH)) : null;
}
