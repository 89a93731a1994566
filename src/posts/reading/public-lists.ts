import { and, desc, eq, getTableColumns, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import { type Blog, blogById } from "../../blogs/blogs";
import { categories, posts, postTags } from "../../database/schema";
import type { Platen } from "../../platen";
import { isLive, type ListedPost, type Post, type PostRow } from "../post/post";
import { wholePost, withBelongings } from "./post-by-id";
import { matches } from "./search";

/** How much of a post's text its excerpt may be made from, in characters. */
const TEXT_READ = 600;

/** Where readers and machines find posts together. What is hidden or not live is in none of them. */
export type Place = "list" | "archive" | "search" | "feed" | "sitemap";

/** What a place leaves out besides: pages, or what its posts' own flags keep away from it. */
const LETS_IN: Record<Place, SQL | undefined> = {
  list: eq(posts.type, "post"),
  archive: and(eq(posts.type, "post"), eq(posts.skipArchive, false)),
  search: undefined,
  feed: and(eq(posts.type, "post"), eq(posts.hideInRss, false)),
  sitemap: eq(posts.noIndexNoFollow, false),
};

/** Which of a place's posts; without more, all of them. */
export interface Choice {
  categoryId?: number;
  tagId?: number;
  /** What a reader searches for. */
  words?: string;
}

const { source, html, text, ...HEAD } = getTableColumns(posts);
const BEGINNING = sql<string>`substr(${text}, 1, ${TEXT_READ})`;

/** A post as a list shows it: its head and the beginning of its text, or all of it where it has no title. */
export type ShownPost = Omit<PostRow, "source" | "html"> & { html: string | null };

/**
 * One page of what readers find in a place, newest first.
 * @param page from 1
 */
export function shownPosts(
  platen: Platen,
  blog: Blog,
  place: Place,
  { page, limit, ...choice }: Choice & { page: number; limit: number },
): { posts: ShownPost[]; hasOlder: boolean } {
  const rows = platen.db
    .select({ ...HEAD, text: BEGINNING, html: sql<string | null>`iif(${posts.title} = '', ${html}, null)` })
    .from(posts)
    .where(isShown(platen, blog, place, choice))
    .orderBy(desc(posts.publishedAt), desc(posts.id))
    .limit(limit + 1)
    .offset((page - 1) * limit)
    .all();
  return { posts: rows.slice(0, limit), hasOlder: rows.length > limit };
}

/** A post as the archive names it. */
export type ArchivedPost = Pick<PostRow, "slug" | "title" | "text" | "properties"> & { publishedAt: Date };

/** One page of the archive, newest first. @param page from 1 */
export function archivedPosts(
  platen: Platen,
  blog: Blog,
  { page, limit }: { page: number; limit: number },
): { posts: ArchivedPost[]; hasOlder: boolean } {
  const rows = platen.db
    .select({
      slug: posts.slug,
      title: posts.title,
      text: BEGINNING,
      properties: posts.properties,
      publishedAt: posts.publishedAt,
    })
    .from(posts)
    .where(isShown(platen, blog, "archive", {}))
    .orderBy(desc(posts.publishedAt), desc(posts.id))
    .limit(limit + 1)
    .offset((page - 1) * limit)
    .all() as ArchivedPost[];
  return { posts: rows.slice(0, limit), hasOlder: rows.length > limit };
}

/** A post as feeds carry it: whole, without its source. */
export type FedPost = ListedPost & Pick<PostRow, "html" | "text">;

/** The newest posts for feeds. */
export function fedPosts(
  platen: Platen,
  blog: Blog,
  { limit, ...choice }: Choice & { limit: number },
): FedPost[] {
  const rows = platen.db
    .select({ ...HEAD, html, text, category: categories })
    .from(posts)
    .leftJoin(categories, eq(categories.id, posts.categoryId))
    .where(isShown(platen, blog, "feed", choice))
    .orderBy(desc(posts.publishedAt), desc(posts.id))
    .limit(limit)
    .all();
  return withBelongings(
    platen.db,
    rows.map((row) => ({ ...row, blog })),
  );
}

/** The addresses search engines are told of, newest first, each with the moment it last changed for readers. */
export function mappedPosts(platen: Platen, blog: Blog, limit: number): { slug: string; changedAt: Date }[] {
  const rows = platen.db
    .select({ slug: posts.slug, updatedAt: posts.updatedAt, publishedAt: posts.publishedAt })
    .from(posts)
    .where(isShown(platen, blog, "sitemap", {}))
    .orderBy(desc(posts.publishedAt), desc(posts.id))
    .limit(limit)
    .all();
  return rows.map((row) => ({ slug: row.slug, changedAt: changedAt(row) }));
}

/** The post with this id, where readers can see it at its address. */
export function livePost(platen: Platen, id: number): Post | undefined {
  const row = platen.db.select().from(posts).where(eq(posts.id, id)).get();
  return row && isLive(row, platen.now())
    ? wholePost(platen.db, row, blogById(platen, row.blogId) as Blog)
    : undefined;
}

/** When a live post last changed for readers: its own change, or its time's coming. */
export function changedAt({ updatedAt, publishedAt }: Pick<PostRow, "updatedAt" | "publishedAt">): Date {
  return publishedAt && publishedAt > updatedAt ? publishedAt : updatedAt;
}

/** The condition "readers find the post there now". */
export function isShown(platen: Platen, blog: Blog, place: Place, choice: Choice): SQL | undefined {
  const { categoryId, tagId, words } = choice;
  return and(
    eq(posts.blogId, blog.id),
    eq(posts.status, "published"),
    lte(posts.publishedAt, platen.now()),
    isNull(posts.deletedAt),
    eq(posts.hidden, false),
    LETS_IN[place],
    categoryId === undefined ? undefined : eq(posts.categoryId, categoryId),
    tagId === undefined ? undefined : inArray(posts.id, postsTagged(platen, tagId)),
    words === undefined ? undefined : matches(words),
  );
}

function postsTagged(platen: Platen, tagId: number) {
  return platen.db.select({ id: postTags.postId }).from(postTags).where(eq(postTags.tagId, tagId));
}
