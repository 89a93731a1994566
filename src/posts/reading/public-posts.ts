import { and, between, desc, eq, getTableColumns, lte, type SQL, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { among, findValues, prepareSql } from "../../database/rows";
import { contents, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { LinkedPost, Post, PostRow } from "../post/post";
import { type Topic, type TopicKind, topicAtSlug } from "../storage/categories-and-tags";
import { searchQuery } from "../storage/full-text-search";
import type { Flag, Order, Selection } from "../storage/post-list-queries";
import { firstPosts, pageOfPosts, runListStatements, TYPES } from "../storage/post-list-queries";
import { inOrder, LINK_COLUMNS, postsWithIds, takeWithinBytes } from "../storage/stored-posts";

const MAX_LISTED_BYTES = 100_000;
/** The first post is included even if it is larger. */
const MAX_FEED_BYTES = 2_000_000;

/** "home" is also the list of category and tag pages. No list shows hidden posts. */
type PublicList = "home" | "archive" | "search" | "feed" | "sitemap";

const PUBLIC_LISTS: Record<PublicList, Pick<Selection, "types"> & { without: Flag[] }> = {
  home: { types: ["post"], without: [] },
  archive: { types: ["post"], without: ["skip_archive"] },
  search: { types: TYPES, without: [] },
  feed: { types: ["post"], without: ["hide_in_rss"] },
  sitemap: { types: TYPES, without: ["no_index_no_follow"] },
};

const MAX_PINNED = 10;

type PostFilter = { categoryId?: number; tagId?: number; language?: string };

type Page = Record<"page" | "limit", number>;
type PublicRequest = Page & PostFilter & { words?: string };

const NEWEST_FIRST: Order = { sort: "published_at", descending: true };

/** `html` is null if the list does not show the post in full, or if the post is long. */
export type PublicPost = PostRow & { html: string | null };

/** Newest first. @throws Refusal (busy) */
export function publicPosts(platen: Platen, blog: Blog, list: PublicList, request: PublicRequest) {
  const { page, limit, words, ...filter } = request;
  const search = { ...publicSelection(platen, blog, list, filter), words: searchQuery(words) };
  return pageOf(platen, search, { page, limit }, (ids) => listedPosts(platen, blog, list, ids));
}

/** Ignores the filter's tag. */
export function pinnedPosts(platen: Platen, blog: Blog, { categoryId, language }: PostFilter): PublicPost[] {
  const isPinned = and(
    sql`${posts.pinned} = 1 and ${posts.blogId} = ${blog.id} and ${posts.type} = 'post'`,
    isLiveAndListed(platen),
    categoryId === undefined ? undefined : eq(posts.categoryId, categoryId),
    language === undefined ? undefined : sql`coalesce(${posts.language}, ${blog.language}) = ${language}`,
  );
  const newestFirst = [desc(posts.publishedAt), desc(posts.id)];
  const ids = findValues(platen, posts, "id", isPinned, { orderBy: newestFirst, limit: MAX_PINNED });
  return listedPosts(platen, blog, "home", ids);
}

function listedPosts({ db }: Platen, { design }: Blog, list: PublicList, ids: number[]): PublicPost[] {
  const isFull = design.list === "full" && list === "home";
  const isShown = and(lte(posts.htmlBytes, MAX_LISTED_BYTES), isFull ? undefined : eq(posts.title, ""));
  const itsHtml = db.select({ html: contents.html }).from(contents).where(eq(contents.postId, posts.id));
  const html = sql<string | null>`iif(${isShown}, (${itsHtml}), NULL)`;
  const columns = { ...getTableColumns(posts), html };
  return inOrder(ids, db.select(columns).from(posts).where(among(posts.id, ids)).all());
}

async function pageOf<Row>(platen: Platen, selection: Selection, at: Page, load: (ids: number[]) => Row[]) {
  const { page, limit } = at;
  const place = { offset: (page - 1) * limit, limit: limit + 1 };
  const ids = await pageOfPosts(platen, selection, NEWEST_FIRST, place);
  return { posts: load(ids.slice(0, limit)), hasOlder: ids.length > limit };
}

export type ArchivePost = LinkedPost & { publishedAt: Date };

export function archivePosts(platen: Platen, blog: Blog, page: Page) {
  return pageOf(platen, publicSelection(platen, blog, "archive"), page, (ids) => archiveRows(platen, ids));
}

/** Finds the neighbors of a live post in the home list. */
export function adjacentPosts(platen: Platen, { blog, id, publishedAt }: Post) {
  const after = { key: (publishedAt as Date).getTime(), id };
  const selection = publicSelection(platen, blog, "home");
  const next = (order: Order) =>
    archiveRows(platen, firstPosts(platen, selection, order, { after, limit: 1 }))[0];
  return { newer: next({ ...NEWEST_FIRST, descending: false }), older: next(NEWEST_FIRST) };
}

function archiveRows({ db }: Platen, ids: number[]): ArchivePost[] {
  const columns = { ...LINK_COLUMNS, publishedAt: posts.publishedAt };
  const rows = db.select(columns).from(posts).where(among(posts.id, ids)).all();
  return inOrder(ids, rows as ArchivePost[]);
}

export function feedPosts(platen: Platen, blog: Blog, { limit, ...filter }: PostFilter & { limit: number }) {
  const ids = firstPosts(platen, publicSelection(platen, blog, "feed", filter), NEWEST_FIRST, { limit });
  return takeWithinBytes(postsWithIds(platen, blog, ids), MAX_FEED_BYTES, ({ htmlBytes }) => htmlBytes);
}

export type SitemapPost = Pick<PostRow, "id" | "slug" | "updatedAt" | "publishedAt" | "translationGroup">;

const IDS_PER_PART = 1000;

export function sitemapPosts(platen: Platen, blog: Blog, limit: number): SitemapPost[] {
  const ids = firstPosts(platen, publicSelection(platen, blog, "sitemap"), NEWEST_FIRST, { limit });
  return inOrder(ids, platen.db.select(SITEMAP_COLUMNS).from(posts).where(among(posts.id, ids)).all());
}

const { id, slug, updatedAt, publishedAt, translationGroup } = posts;
const SITEMAP_COLUMNS = { id, slug, updatedAt, publishedAt, translationGroup };

/**
 * Each part is a range of ids, so that new posts do not move posts to another part.
 * @param part number, starting at 1
 */
export function sitemapPart(platen: Platen, blog: Blog, part: number): SitemapPost[] {
  const [first, last] = [(part - 1) * IDS_PER_PART + 1, part * IDS_PER_PART];
  const isInPart = and(isInSitemap(platen, blog), between(posts.id, first, last));
  return platen.db.select(SITEMAP_COLUMNS).from(posts).where(isInPart).orderBy(posts.id).all();
}

/** @throws Refusal (busy) */
export async function sitemapParts(platen: Platen, blog: Blog): Promise<number[]> {
  const values = { blogId: blog.id, now: platen.now().getTime() };
  const { without } = PUBLIC_LISTS.sitemap;
  const statements = [{ sql: USED_PARTS, values }];
  const [rows] = await runListStatements<[{ part: number }]>(platen, statements, { without });
  return rows.map(({ part }) => part);
}

const USED_PARTS = `SELECT DISTINCT (id - 1) / ${IDS_PER_PART} + 1 AS part FROM posts INDEXED BY posts_by_publication
  WHERE blog_id = $blogId AND deleted_at IS NULL AND status = 'published' AND published_at <= $now
    AND hidden = 0 AND no_index_no_follow = 0 ORDER BY part`;

/** Selects the same posts as `publicSelection`. The plus signs make SQLite use the index on ids. */
function isInSitemap(platen: Platen, blog: Blog): SQL | undefined {
  return and(sql`+${posts.blogId} = ${blog.id}`, isLiveAndListed(platen), eq(posts.noIndexNoFollow, false));
}

function isLiveAndListed(platen: Platen): SQL {
  return sql`+${posts.status} = 'published' and +${posts.deletedAt} is null
    and +${posts.publishedAt} <= ${platen.now().getTime()} and ${posts.hidden} = 0`;
}

/** For readers, a scheduled post changes when it is published, not when it was last saved. */
export function changedAt({ updatedAt, publishedAt }: Pick<PostRow, "updatedAt" | "publishedAt">): Date {
  return publishedAt && publishedAt > updatedAt ? publishedAt : updatedAt;
}

function publicSelection(platen: Platen, blog: Blog, list: PublicList, filter: PostFilter = {}): Selection {
  const { types, without } = PUBLIC_LISTS[list];
  const { language: tag, ...topic } = filter;
  return {
    blogId: blog.id,
    statuses: ["published"],
    types,
    until: platen.now().getTime() + 1,
    without: ["hidden", ...without],
    ...topic,
    ...(tag !== undefined && { language: { tag, isBlogs: tag === blog.language } }),
  };
}

export function publicLanguages(platen: Platen, blog: Blog): string[] {
  const values = { blogId: blog.id, own: blog.language, now: platen.now().getTime() };
  const others = otherLanguages(platen).all(values);
  if (others.length === 0) return [blog.language];
  const ofBlog = publicSelection(platen, blog, "home", { language: blog.language });
  const isSpoken = firstPosts(platen, ofBlog, NEWEST_FIRST, { limit: 1 }).length > 0;
  return [...(isSpoken ? [blog.language] : []), ...others.map(({ language }) => language)];
}

const otherLanguages = prepareSql<{ language: string }, [{ blogId: number; own: string; now: number }]>(
  `WITH used AS (SELECT DISTINCT language FROM posts INDEXED BY posts_languages
     WHERE blog_id = $blogId AND language IS NOT NULL)
   SELECT language FROM used WHERE language <> $own AND EXISTS (
     SELECT 1 FROM posts INDEXED BY posts_languages WHERE blog_id = $blogId AND language = used.language
       AND type = 'post' AND status = 'published' AND deleted_at IS NULL AND published_at <= $now AND hidden = 0
   ) LIMIT 100`,
);

/** Returns null for a topic without a public post, because the name of such a topic may be secret. */
export function publicTopic(platen: Platen, blog: Blog, kind: TopicKind, slug: string): Topic | null {
  const topic = topicAtSlug(platen, kind, blog.id, slug);
  if (!topic) return null;
  const ofTopic = publicSelection(platen, blog, "home", { [`${kind}Id`]: topic.id });
  return firstPosts(platen, ofTopic, NEWEST_FIRST, { limit: 1 }).length > 0 ? topic : null;
}
