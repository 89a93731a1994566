import { and, between, desc, eq, getTableColumns, gt, type SQL, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { among, prepared } from "../../database/prepared";
import { contents, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { firstPosts, pageOfPosts } from "../lists/list-pages";
import { type Flag, type Order, type Selection, TYPES } from "../lists/selection";
import type { Post, PostRow } from "../post/post";
import { searchQuery } from "../search/search-query";
import { postsWithIds, rowsInOrder, takeWithinBytes, type WithIds } from "../storage/stored-posts";

/** In bytes: an untitled post of more is shown in lists by its beginning. */
const LARGEST_IN_LIST = 100_000;
/** In bytes of HTML: a feed ends before the post that would make it more, but holds one in any case. */
const LARGEST_FEED = 2_000_000;

/**
 * Where readers and machines find posts together; "home" stands for the pages of categories and tags, too. What is
 * hidden or not live is in none of them.
 */
type PublicList = "home" | "archive" | "search" | "feed" | "sitemap";

/** What a list holds of all that: posts, or pages too, and not those whose own flags keep them away from it. */
const BELONGS_IN: Record<PublicList, Pick<Selection, "types"> & { without: Flag[] }> = {
  home: { types: ["post"], without: [] },
  archive: { types: ["post"], without: ["skip_archive"] },
  search: { types: TYPES, without: [] },
  feed: { types: ["post"], without: ["hide_in_rss"] },
  sitemap: { types: TYPES, without: ["no_index_no_follow"] },
};

/** Pinned posts at the top of the home page. */
const MAX_PINNED = 10;

/** Which of a list's posts; without more, all of them. */
interface PostFilter {
  categoryId?: number;
  tagId?: number;
}

/** From 1, with so many posts each. */
interface Page {
  page: number;
  limit: number;
}
type PageOf<Shown> = { posts: Shown[]; hasOlder: boolean };

const NEWEST_FIRST: Order = { sort: "published_at", descending: true };

/** A post as a list shows it: without what it says, or with all of that where it has no title; null where it is too long. */
export type PublicPost = PostRow & { html: string | null };

/** One page of what readers find in a list, newest first. */
export async function publicPosts(
  platen: Platen,
  blog: Blog,
  list: PublicList,
  { page, limit, words, ...filter }: Page & PostFilter & { words?: string },
): Promise<PageOf<PublicPost>> {
  const search = { ...publicSelection(platen, blog, list, filter), words: searchQuery(words) };
  return await pageOf(platen, search, { page, limit }, shownInList(platen));
}

/** Those that the home page shows first, the newest first. Others that are pinned stay at their place in the list. */
export function pinnedPosts(platen: Platen, blog: Blog, { categoryId }: PostFilter): PublicPost[] {
  const ids = platen.db
    .select({ id: posts.id })
    .from(posts)
    .where(
      and(
        sql`${posts.pinned} = 1 and ${posts.blogId} = ${blog.id} and ${posts.type} = 'post'`,
        isLiveAndListed(platen),
        categoryId === undefined ? undefined : eq(posts.categoryId, categoryId),
      ),
    )
    .orderBy(desc(posts.publishedAt), desc(posts.id))
    .limit(MAX_PINNED)
    .all();
  return rowsInOrder(
    ids.map(({ id }) => id),
    shownInList(platen),
  );
}

const shownInList = prepared((db) => {
  const itsHtml = db.select({ html: contents.html }).from(contents).where(eq(contents.postId, posts.id));
  const isShown = sql`${posts.title} = '' AND ${posts.htmlBytes} <= ${sql.raw(`${LARGEST_IN_LIST}`)}`;
  return db
    .select({ ...getTableColumns(posts), html: sql<string | null>`iif(${isShown}, (${itsHtml}), NULL)` })
    .from(posts)
    .where(among(posts.id, "ids"))
    .prepare();
});

async function pageOf<Row extends { id: number }>(
  platen: Platen,
  selection: Selection,
  { page, limit }: Page,
  statement: WithIds<Row>,
): Promise<PageOf<Row>> {
  const place = { offset: (page - 1) * limit, limit: limit + 1 };
  const ids = await pageOfPosts(platen, selection, NEWEST_FIRST, place);
  return { posts: rowsInOrder(ids.slice(0, limit), statement), hasOlder: ids.length > limit };
}

/** A post as the archive names it. */
export type ArchivePost = Pick<PostRow, "id" | "slug" | "title" | "summary" | "excerpt" | "properties"> & {
  publishedAt: Date;
};

/** One page of the archive, newest first. */
export function archivePosts(platen: Platen, blog: Blog, page: Page): Promise<PageOf<ArchivePost>> {
  return pageOf(platen, publicSelection(platen, blog, "archive"), page, namedInArchive(platen));
}

/** The posts of the home list right before and right after a live post, whether or not it is in that list itself. */
export function adjacentPosts(
  platen: Platen,
  { blog, id, publishedAt }: Post,
): { newer?: ArchivePost; older?: ArchivePost } {
  const after = { key: (publishedAt as Date).getTime(), id };
  const selection = publicSelection(platen, blog, "home");
  const next = (order: Order) => firstPosts(platen, selection, order, { after, offset: 0, limit: 1 })[0];
  const [newer, older] = [next({ ...NEWEST_FIRST, descending: false }), next(NEWEST_FIRST)];
  const ids = [newer, older].filter((one) => one !== undefined);
  const rows = ids.length > 0 ? rowsInOrder(ids, namedInArchive(platen)) : [];
  const named = (wanted?: number) => rows.find((row) => row.id === wanted);
  return { newer: named(newer), older: named(older) };
}

const namedInArchive = prepared((db) => {
  const { id, slug, title, summary, excerpt, properties, publishedAt } = posts;
  return db
    .select({ id, slug, title, summary, excerpt, properties, publishedAt })
    .from(posts)
    .where(among(posts.id, "ids"))
    .prepare() as WithIds<ArchivePost>;
});

/** The newest posts for feeds, as many as `limit` and LARGEST_FEED allow. */
export function feedPosts(
  platen: Platen,
  blog: Blog,
  { limit, ...filter }: PostFilter & { limit: number },
): Post[] {
  const ids = firstPosts(platen, publicSelection(platen, blog, "feed", filter), NEWEST_FIRST, {
    offset: 0,
    limit,
  });
  return takeWithinBytes(postsWithIds(platen, blog, ids), LARGEST_FEED, ({ htmlBytes }) => htmlBytes);
}

/** An address search engines are told of; see changedAt. */
export type SitemapPost = Pick<PostRow, "slug" | "updatedAt" | "publishedAt">;

/** Ids of posts that one part of a sitemap is about. */
const IDS_A_PART = 1000;

/** The newest of them. */
export function sitemapPosts(platen: Platen, blog: Blog, limit: number): SitemapPost[] {
  const ids = firstPosts(platen, publicSelection(platen, blog, "sitemap"), NEWEST_FIRST, {
    offset: 0,
    limit,
  });
  return rowsInOrder(ids, namedInSitemap(platen));
}

const TOLD = { slug: posts.slug, updatedAt: posts.updatedAt, publishedAt: posts.publishedAt };
const namedInSitemap = prepared((db) =>
  db
    .select({ id: posts.id, ...TOLD })
    .from(posts)
    .where(among(posts.id, "ids"))
    .prepare(),
);

/** One part of them, by their ids: it stays the same while others are written. @param part from 1 */
export function sitemapPart(platen: Platen, blog: Blog, part: number): SitemapPost[] {
  const [first, last] = [(part - 1) * IDS_A_PART + 1, part * IDS_A_PART];
  return platen.db
    .select(TOLD)
    .from(posts)
    .where(and(isInSitemap(platen, blog), between(posts.id, first, last)))
    .orderBy(posts.id)
    .all();
}

/** The numbers of the parts that have a post in them. */
export function sitemapParts(platen: Platen, blog: Blog): number[] {
  const firstAfter = platen.db
    .select({ id: posts.id })
    .from(posts)
    .where(and(isInSitemap(platen, blog), gt(posts.id, sql.placeholder("id"))))
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

/** The same as `listed` says, of posts that are found by their ids: no index is to be walked for them. */
function isInSitemap(platen: Platen, blog: Blog): SQL | undefined {
  return and(sql`+${posts.blogId} = ${blog.id}`, isLiveAndListed(platen), eq(posts.noIndexNoFollow, false));
}

function isLiveAndListed(platen: Platen): SQL {
  return sql`+${posts.status} = 'published' and +${posts.deletedAt} is null
    and +${posts.publishedAt} <= ${platen.now().getTime()} and ${posts.hidden} = 0`;
}

/** When a live post last changed for readers: its own change, or its time's coming. */
export function changedAt({ updatedAt, publishedAt }: Pick<PostRow, "updatedAt" | "publishedAt">): Date {
  return publishedAt && publishedAt > updatedAt ? publishedAt : updatedAt;
}

/** The posts that readers find in this list now. */
export function publicSelection(
  platen: Platen,
  blog: Blog,
  list: PublicList,
  { categoryId, tagId }: PostFilter = {},
): Selection {
  const { types, without } = BELONGS_IN[list];
  return {
    blogId: blog.id,
    statuses: ["published"],
    types,
    until: platen.now().getTime() + 1,
    without: ["hidden", ...without],
    categoryId,
    tagId,
  };
}
