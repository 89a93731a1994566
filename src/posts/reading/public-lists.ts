import { and, between, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { categories, contents, posts, postTags } from "../../database/schema";
import type { Platen } from "../../platen";
import { matches } from "../parts/search-index";
import { withBelongings } from "../parts/whole-post";
import { liveAt } from "../post/live";
import type { Content, Post, PostRow } from "../post/post";
import { HEAD_COLUMNS } from "../post/post-columns";

/** In bytes: an untitled post of more is shown in lists by its beginning. */
const LARGEST_IN_LIST = 100_000;
/** In bytes of HTML: a feed ends before the post that would make it more, but holds one in any case. */
const LARGEST_FEED = 2_000_000;

/**
 * Where readers and machines find posts together; "home" stands for the pages of categories and tags, too. What is
 * hidden or not live is in none of them.
 */
export type PublicList = "home" | "archive" | "search" | "feed" | "sitemap";

/** What a list holds of all that: posts without pages, and not those whose own flags keep them away from it. */
const BELONGS_IN: Record<PublicList, SQL | undefined> = {
  home: eq(posts.type, "post"),
  archive: and(eq(posts.type, "post"), eq(posts.skipArchive, false)),
  search: undefined,
  feed: and(eq(posts.type, "post"), eq(posts.hideInRss, false)),
  sitemap: eq(posts.noIndexNoFollow, false),
};

/** Which of a list's posts; without more, all of them. */
export interface PostFilter {
  categoryId?: number;
  tagId?: number;
  /** What a reader searches for. */
  words?: string;
}

/** From 1, with so many posts each. */
interface Page {
  page: number;
  limit: number;
}

const NEWEST_FIRST = [desc(posts.publishedAt), desc(posts.id)];

/** A post as a list shows it: without what it says, or with all of that where it has no title; null where it is too long. */
export type PublicPost = PostRow & { html: string | null };

/** One page of what readers find in a list, newest first. */
export function publicPosts(
  platen: Platen,
  blog: Blog,
  list: PublicList,
  { page, limit, ...filter }: Page & PostFilter,
): { posts: PublicPost[]; hasOlder: boolean } {
  const itsHtml = platen.db
    .select({ html: contents.html })
    .from(contents)
    .where(eq(contents.postId, posts.id));
  const isShown = sql`${posts.title} = '' AND ${posts.htmlBytes} <= ${LARGEST_IN_LIST}`;
  const rows = platen.db
    .select({ ...HEAD_COLUMNS, html: sql<string | null>`iif(${isShown}, (${itsHtml}), NULL)` })
    .from(posts)
    .where(isListed(platen, blog, list, filter))
    .orderBy(...NEWEST_FIRST)
    .limit(limit + 1)
    .offset((page - 1) * limit)
    .all();
  return { posts: rows.slice(0, limit), hasOlder: rows.length > limit };
}

/** A post as the archive names it. */
export type ArchivePost = Pick<PostRow, "id" | "slug" | "title" | "excerpt" | "properties"> & {
  publishedAt: Date;
};

/** One page of the archive, newest first. */
export function postsInArchive(
  platen: Platen,
  blog: Blog,
  { page, limit }: Page,
): { posts: ArchivePost[]; hasOlder: boolean } {
  const { id, slug, title, excerpt, properties, publishedAt } = posts;
  const rows = platen.db
    .select({ id, slug, title, excerpt, properties, publishedAt })
    .from(posts)
    .where(isListed(platen, blog, "archive"))
    .orderBy(...NEWEST_FIRST)
    .limit(limit + 1)
    .offset((page - 1) * limit)
    .all() as ArchivePost[];
  return { posts: rows.slice(0, limit), hasOlder: rows.length > limit };
}

/** A post as feeds carry it: whole, without its source. */
export type FeedPost = Post & Pick<Content, "html">;

/** The newest posts for feeds, as many as `limit` and LARGEST_FEED allow. */
export function feedPosts(
  platen: Platen,
  blog: Blog,
  { limit, ...filter }: PostFilter & { limit: number },
): FeedPost[] {
  const listed = isListed(platen, blog, "feed", filter);
  const sizes = platen.db
    .select({ size: posts.htmlBytes })
    .from(posts)
    .where(listed)
    .orderBy(...NEWEST_FIRST)
    .limit(limit)
    .all();
  let left = LARGEST_FEED;
  const tooMuch = sizes.findIndex(({ size }, number) => {
    left -= size;
    return left < 0 && number > 0;
  });
  const rows = platen.db
    .select({ ...HEAD_COLUMNS, html: contents.html, category: categories })
    .from(posts)
    .innerJoin(contents, eq(contents.postId, posts.id))
    .leftJoin(categories, eq(categories.id, posts.categoryId))
    .where(listed)
    .orderBy(...NEWEST_FIRST)
    .limit(tooMuch < 0 ? limit : tooMuch)
    .all();
  return withBelongings(
    platen,
    rows.map((row) => ({ ...row, blog })),
  );
}

/** An address search engines are told of, with the moment it last changed for readers. */
export interface SitemapPost {
  slug: string;
  changedAt: Date;
}

/** Ids of posts that one part of a sitemap is about. */
const IDS_A_PART = 1000;

/** The newest of them. */
export function sitemapPosts(platen: Platen, blog: Blog, limit: number): SitemapPost[] {
  return sitemapOf(platen, isListed(platen, blog, "sitemap"), limit);
}

/** One part of them, by their ids: it stays the same while others are written. @param part from 1 */
export function sitemapPart(platen: Platen, blog: Blog, part: number): SitemapPost[] {
  const ids = between(posts.id, (part - 1) * IDS_A_PART + 1, part * IDS_A_PART);
  return sitemapOf(platen, and(isListed(platen, blog, "sitemap"), ids), IDS_A_PART);
}

function sitemapOf(platen: Platen, condition: SQL | undefined, limit: number): SitemapPost[] {
  const { slug, updatedAt, publishedAt } = posts;
  return platen.db
    .select({ slug, updatedAt, publishedAt })
    .from(posts)
    .where(condition)
    .orderBy(...NEWEST_FIRST)
    .limit(limit)
    .all()
    .map((row) => ({ slug: row.slug, changedAt: changedAt(row) }));
}

/** The numbers of the parts that have a post in them. */
export function sitemapParts(platen: Platen, blog: Blog): number[] {
  const firstAfter = platen.db
    .select({ id: posts.id })
    .from(posts)
    .where(and(isListed(platen, blog, "sitemap"), gt(posts.id, sql.placeholder("id"))))
    .orderBy(posts.id)
    .limit(1)
    .prepare();
  const parts: number[] = [];
  for (let found = firstAfter.get({ id: 0 }); found; ) {
    const part = Math.ceil(found.id / IDS_A_PART);
    parts.push(part);
    found = firstAfter.get({ id: part * IDS_A_PART });
  }
  return parts;
}

/** When a live post last changed for readers: its own change, or its time's coming. */
export function changedAt({ updatedAt, publishedAt }: Pick<PostRow, "updatedAt" | "publishedAt">): Date {
  return publishedAt && publishedAt > updatedAt ? publishedAt : updatedAt;
}

/** The condition "readers find the post in this list now". */
export function isListed(
  platen: Platen,
  blog: Blog,
  list: PublicList,
  { categoryId, tagId, words }: PostFilter = {},
): SQL | undefined {
  return and(
    eq(posts.blogId, blog.id),
    liveAt(platen.now()),
    eq(posts.hidden, false),
    BELONGS_IN[list],
    categoryId === undefined ? undefined : eq(posts.categoryId, categoryId),
    tagId === undefined ? undefined : inArray(posts.id, postsTagged(platen, tagId)),
    words === undefined ? undefined : matches(words),
  );
}

function postsTagged(platen: Platen, tagId: number) {
  return platen.db.select({ id: postTags.postId }).from(postTags).where(eq(postTags.tagId, tagId));
}
