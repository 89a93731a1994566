import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant, ownedBy } from "./columns";
import { blobs } from "./media-tables";
import { categories, tags } from "./topic-tables";

/** Posts and pages: all that lists show of them. What they say is in `contents`. */
export const posts = sqliteTable(
  "posts",
  {
    id: id(),
    blogId: integer()
      .notNull()
      .references(() => blogs.id),
    type: text({ enum: ["post", "page"] })
      .notNull()
      .default("post"),
    /** As the owner sees it; what readers see also depends on `publishedAt` (see isLive). */
    status: text({ enum: ["published", "draft", "archived"] }).notNull(),
    title: text().notNull(),
    slug: text().notNull(),
    categoryId: integer().references(() => categories.id, { onDelete: "set null" }),
    publishedAt: instant(),
    createdAt: createdAt(),
    updatedAt: instant().notNull(),
    /** Deleted posts stay, unseen, so that a deletion can be undone. */
    deletedAt: instant(),
    hidden: flag(),
    hideInRss: flag(),
    noIndexNoFollow: flag(),
    showContactForm: flag(),
    kommentsDisabled: flag(),
    skipArchive: flag(),
    /** Set while the post is shared. */
    shareId: text(),
    /** filename → alt text; an empty string is an entry. */
    altText: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    /** Microformats properties Platen has no field for, as they came (mf2: name → array of values). */
    properties: text({ mode: "json" }).$type<Record<string, unknown[]>>().notNull().default({}),
    /** Webhooks have been told that it is live, and not yet that it no longer is. */
    isAnnounced: flag(),
    /** The beginning of what the post says (see beginningOf); null until it is made, in posts from before 0002. */
    excerpt: text(),
    /** Bytes of `contents.html`, and of the source. */
    htmlBytes: integer().notNull().default(0),
    sourceBytes: integer().notNull().default(0),
    /** Counts the changes of the content. */
    contentVersion: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("posts_slug").on(table.blogId, table.slug).where(sql`${table.deletedAt} is null`),
    uniqueIndex("posts_share").on(table.shareId),
    index("posts_category").on(table.categoryId, table.publishedAt),
    index("posts_by_publication").on(table.blogId, table.status, table.publishedAt),
    index("posts_by_creation").on(table.blogId, table.createdAt),
    index("posts_by_update").on(table.blogId, table.updatedAt),
    index("posts_unannounced")
      .on(table.publishedAt)
      .where(sql`${table.status} = 'published' and not ${table.isAnnounced} and ${table.deletedAt} is null`),
    index("posts_by_title").on(table.blogId, sql`${table.title} collate nocase`),
  ],
);

/** What a post says: megabytes, perhaps, which no list reads. */
export const contents = sqliteTable("contents", {
  postId: ownedBy(() => posts.id).primaryKey(),
  sourceType: text({ enum: ["html", "markdown"] }).notNull(),
  html: text().notNull(),
  text: text().notNull(),
  /** As it was sent; `html` and `text` are made from it on every write. null: it is `html`. */
  source: text(),
});

export const postTags = sqliteTable(
  "post_tags",
  {
    postId: ownedBy(() => posts.id),
    tagId: ownedBy(() => tags.id),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.postId, table.tagId] }), index("post_tags_tag").on(table.tagId)],
);

/** A blob embedded in a post's content, in the order it appears there. */
export const attachments = sqliteTable(
  "attachments",
  {
    id: id(),
    postId: ownedBy(() => posts.id),
    blobId: integer()
      .notNull()
      .references(() => blobs.id),
    position: integer().notNull(),
  },
  (table) => [
    uniqueIndex("attachments_post").on(table.postId, table.blobId),
    index("attachments_blob").on(table.blobId),
  ],
);

/** Where a post used to be: its old address redirects to the present one. */
export const oldSlugs = sqliteTable(
  "old_slugs",
  {
    blogId: ownedBy(() => blogs.id),
    slug: text().notNull(),
    postId: ownedBy(() => posts.id),
  },
  (table) => [primaryKey({ columns: [table.blogId, table.slug] }), index("old_slugs_post").on(table.postId)],
);

/** What a post was before a save: the writable fields as they stood, the content where the save changed it. */
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

/** How often a post was read on a day (UTC, "2026-03-01"); counted without cookies. */
export const views = sqliteTable(
  "views",
  {
    postId: ownedBy(() => posts.id),
    day: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.postId, table.day] })],
);
