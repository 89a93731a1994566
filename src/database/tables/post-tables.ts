import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { accounts } from "./account-tables";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant, oneOf, ownedBy, refersTo } from "./columns";
import { blobs } from "./media-tables";

export const categories = topics("categories");

export const tags = topics("tags");

export const formerTopics = sqliteTable(
  "former_topics",
  {
    blogId: ownedBy(() => blogs.id),
    kind: text({ enum: ["category", "tag"] }).notNull(),
    slug: text().notNull(),
    /** null: the topic was deleted. */
    topicId: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.blogId, table.kind, table.slug] }),
    index("former_topics_topic").on(table.kind, table.topicId),
  ],
);

function topics<Name extends string>(table: Name) {
  return sqliteTable(
    table,
    {
      id: id(),
      blogId: ownedBy(() => blogs.id),
      name: text().notNull(),
      nameKey: text().notNull(),
      slug: text().notNull(),
    },
    (columns) => [
      uniqueIndex(`${table}_name`).on(columns.blogId, columns.nameKey),
      uniqueIndex(`${table}_slug`).on(columns.blogId, columns.slug),
    ],
  );
}

export const posts = sqliteTable(
  "posts",
  {
    id: id(),
    blogId: refersTo(() => blogs.id),
    type: oneOf(["post", "page"], "post"),
    /** Even a published post is not public before `publishedAt` (see `isLive`). */
    status: text({ enum: ["published", "draft", "archived"] }).notNull(),
    title: text().notNull(),
    slug: text().notNull(),
    categoryId: integer().references(() => categories.id, { onDelete: "set null" }),
    publishedAt: instant(),
    createdAt: createdAt(),
    updatedAt: instant().notNull(),
    deletedAt: instant(),
    hidden: flag(),
    hideInRss: flag(),
    noIndexNoFollow: flag(),
    showContactForm: flag(),
    kommentsDisabled: flag(),
    skipArchive: flag(),
    pinned: flag(),
    summary: text(),
    series: text(),
    /** null: the blog's language. */
    language: text(),
    /** Posts of an account with the same number are translations of each other. */
    translationGroup: integer(),
    shareId: text(),
    altText: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    /** Filename, or "none"; null: the first image. */
    previewImage: text(),
    /** Microformats2 properties that have no column. */
    properties: text({ mode: "json" }).$type<Record<string, unknown[]>>().notNull().default({}),
    madeBy: text({ mode: "json" }).$type<{ name: string; app: string | null }>(),
    /** Channel → whether the channel gets this post. A missing channel follows the blog's settings. */
    reach: text({ mode: "json" }).$type<Record<string, boolean>>(),
    /** Whether the event of the publication was recorded; false again after unpublishing. */
    isAnnounced: flag(),
    /** null in posts older than migration 0002, until computed. */
    excerpt: text(),
    htmlBytes: integer().notNull().default(0),
    sourceBytes: integer().notNull().default(0),
    contentVersion: integer().notNull().default(0),
  },
  (table) => {
    const { id, blogId, categoryId, status, type, language, hidden, hideInRss } = table;
    const { publishedAt, createdAt, updatedAt, deletedAt } = table;
    const list = [blogId, deletedAt, status, type] as const;
    const byTime = [publishedAt, id] as const;
    const times = [createdAt, updatedAt] as const;
    const visibility = [hidden, table.skipArchive, hideInRss, table.noIndexNoFollow] as const;
    const title = sql`${table.title} collate nocase`;
    return [
      uniqueIndex("posts_slug").on(blogId, table.slug).where(sql`${deletedAt} is null`),
      index("posts_deleted").on(blogId, table.slug, deletedAt).where(sql`${deletedAt} is not null`),
      uniqueIndex("posts_share").on(table.shareId).where(sql`${table.shareId} is not null`),
      index("posts_pinned").on(blogId, publishedAt).where(sql`${table.pinned} = 1`),
      index("posts_series").on(blogId, table.series, publishedAt).where(sql`${table.series} is not null`),
      index("posts_translations")
        .on(table.translationGroup)
        .where(sql`${table.translationGroup} is not null`),
      index("posts_languages").on(blogId, language).where(sql`${language} is not null`),
      index("posts_unannounced")
        .on(publishedAt)
        .where(sql`${status} = 'published' and not ${table.isAnnounced} and ${deletedAt} is null`),
      // Covering indexes of the lists: columns of `list`, sort order, id, then other columns that lists use.
      index("posts_by_publication").on(...list, ...byTime, categoryId, ...times, ...visibility, language),
      index("posts_of_category").on(categoryId, ...list, ...byTime, ...times, hidden, hideInRss, language),
      index("posts_unpublished")
        .on(...list, createdAt, id)
        .where(sql`${publishedAt} is null`),
      index("posts_by_creation").on(...list, createdAt, id, publishedAt, updatedAt, categoryId),
      index("posts_by_update").on(...list, updatedAt, id, publishedAt, createdAt, categoryId),
      index("posts_by_title").on(...list, title, id, publishedAt, ...times, categoryId),
    ];
  },
);

export const contents = sqliteTable("contents", {
  postId: ownedBy(() => posts.id).primaryKey(),
  sourceType: text({ enum: ["html", "markdown"] }).notNull(),
  html: text().notNull(),
  text: text().notNull(),
  /** The content as received; null: same as `html`. */
  source: text(),
});

/** Contains copies of the post's columns that lists use. A trigger updates them (migration 0010). */
export const postTags = sqliteTable(
  "post_tags",
  {
    postId: ownedBy(() => posts.id),
    tagId: ownedBy(() => tags.id),
    position: integer().notNull(),
    status: text({ enum: ["published", "draft", "archived"] }).notNull(),
    type: text({ enum: ["post", "page"] }).notNull(),
    hidden: integer({ mode: "boolean" }).notNull(),
    /** Time of publication, or of creation if unpublished; null: in the trash. */
    listedAt: instant(),
  },
  ({ postId, tagId, status, type, listedAt, hidden }) => [
    primaryKey({ columns: [postId, tagId] }),
    index("post_tags_of_list").on(tagId, status, type, listedAt, postId, hidden),
  ],
);

export const attachments = sqliteTable(
  "attachments",
  {
    id: id(),
    postId: ownedBy(() => posts.id),
    blobId: refersTo(() => blobs.id),
    position: integer().notNull(),
  },
  (table) => [
    uniqueIndex("attachments_post").on(table.postId, table.blobId),
    index("attachments_blob").on(table.blobId),
  ],
);

/** Previous slugs. For imported posts, also any path, such as "2013/05/tea" or "?p=7". */
export const oldSlugs = sqliteTable(
  "old_slugs",
  { blogId: ownedBy(() => blogs.id), slug: text().notNull(), postId: ownedBy(() => posts.id) },
  (table) => [primaryKey({ columns: [table.blogId, table.slug] }), index("old_slugs_post").on(table.postId)],
);

/** `fields` contains the post's fields before a save, with the content if the save changed it. */
export const revisions = sqliteTable(
  "revisions",
  {
    id: id(),
    postId: ownedBy(() => posts.id),
    replacedAt: instant().notNull(),
    fields: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [index("revisions_post").on(table.postId, table.id)],
);

export const unsavedPosts = sqliteTable(
  "unsaved_posts",
  {
    id: id(),
    accountId: ownedBy(() => accounts.id),
    blogId: ownedBy(() => blogs.id),
    /** null for a new post, which `newPost` identifies. */
    postId: integer().references(() => posts.id, { onDelete: "cascade" }),
    newPost: text(),
    version: text().notNull(),
    /** null: saved or discarded. Autosave requests listed in `stamps` that arrive later are ignored. */
    fields: text({ mode: "json" }).$type<Record<string, unknown>>(),
    /** Ids of autosave requests, newest first, separated by spaces. */
    stamps: text().notNull(),
    keptAt: instant().notNull(),
  },
  ({ postId, accountId, blogId, newPost, keptAt, fields }) => [
    uniqueIndex("unsaved_posts_post").on(postId, accountId),
    uniqueIndex("unsaved_posts_new").on(accountId, blogId, newPost),
    index("unsaved_posts_blog").on(blogId, accountId, keptAt),
    index("unsaved_posts_old").on(keptAt).where(sql`${postId} is null or ${fields} is null`),
  ],
);

/** Days are in the blog's time zone, such as "2026-03-01". */
export const views = sqliteTable(
  "views",
  {
    postId: ownedBy(() => posts.id),
    /** "": the total of all older days. */
    day: text().notNull(),
    count: integer().notNull(),
    blogId: integer().references(() => blogs.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.postId, table.day] }),
    index("views_most_read").on(table.blogId, table.day, table.count, table.postId),
  ],
);

export const blogReadings = sqliteTable(
  "blog_readings",
  { blogId: ownedBy(() => blogs.id), day: text().notNull(), count: integer().notNull() },
  (table) => [primaryKey({ columns: [table.blogId, table.day] })],
);

export const referrers = sqliteTable(
  "referrers",
  {
    blogId: ownedBy(() => blogs.id),
    day: text().notNull(),
    /** "": all other hosts of that day. */
    host: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.blogId, table.day, table.host] })],
);
