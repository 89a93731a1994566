import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { accounts } from "./account-tables";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant, ownedBy } from "./columns";
import { blobs } from "./media-tables";
import { categories, tags } from "./topic-tables";

/**
 * Kind of post → the property that a post of the kind has; a note or an article has none of these. The index
 * `posts_of_kind` is made of them, so another one needs a migration.
 */
export const MARKS = {
  rsvp: "rsvp",
  reply: "in-reply-to",
  repost: "repost-of",
  like: "like-of",
  bookmark: "bookmark-of",
  checkin: "checkin",
  video: "video",
  photo: "photo",
} as const;

/** Of a row of `posts`: 1 without a title, and a power of two for each of the properties. */
export const KINDS = [
  "(title = '')",
  ...Object.values(MARKS).map(
    (property, number) => `${2 ** (number + 1)} * (properties -> '$."${property}"' is not null)`,
  ),
].join(" + ");

/** All but plain articles. */
export const IN_INDEX_OF_KINDS = "(title = '' or properties <> '{}')";

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
    /** Shown first on the blog's first page. */
    pinned: flag(),
    /** The author's own words for lists, feeds and search engines; null: they show the beginning of the text. */
    summary: text(),
    /** Set while the post is shared. */
    shareId: text(),
    /** filename → alt text; an empty string is an entry. */
    altText: text({ mode: "json" }).$type<Record<string, string>>().notNull().default({}),
    /** The filename of the attachment that stands for the post; "none"; null: its first picture. */
    previewImage: text(),
    /** Microformats properties Platen has no field for, as they came (mf2: name → array of values). */
    properties: text({ mode: "json" }).$type<Record<string, unknown[]>>().notNull().default({}),
    /** Who made its first version; null: nobody is named. */
    madeBy: text({ mode: "json" }).$type<{ name: string; app: string | null }>(),
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
    index("posts_deleted")
      .on(table.blogId, table.slug, table.deletedAt)
      .where(sql`${table.deletedAt} is not null`),
    uniqueIndex("posts_share").on(table.shareId).where(sql`${table.shareId} is not null`),
    index("posts_pinned").on(table.blogId, table.publishedAt).where(sql`${table.pinned} = 1`),
    index("posts_unannounced")
      .on(table.publishedAt)
      .where(sql`${table.status} = 'published' and not ${table.isAnnounced} and ${table.deletedAt} is null`),
    // The orders of lists (see posts/lists/list-statements): after what a list is of, what it is sorted by, with the id, and
    // then all that lists are filtered by, so that posts that are passed over are not read.
    index("posts_by_publication").on(
      ...ofList(table),
      table.publishedAt,
      table.id,
      table.categoryId,
      table.createdAt,
      table.updatedAt,
      table.hidden,
      table.skipArchive,
      table.hideInRss,
      table.noIndexNoFollow,
    ),
    index("posts_of_category").on(
      table.categoryId,
      ...ofList(table),
      table.publishedAt,
      table.id,
      table.createdAt,
      table.updatedAt,
      table.hidden,
      table.hideInRss,
    ),
    index("posts_unpublished")
      .on(...ofList(table), table.createdAt, table.id)
      .where(sql`${table.publishedAt} is null`),
    index("posts_of_kind")
      .on(...ofList(table), table.publishedAt, table.id, table.createdAt, sql.raw(KINDS))
      .where(sql.raw(IN_INDEX_OF_KINDS)),
    index("posts_by_creation").on(
      ...ofList(table),
      table.createdAt,
      table.id,
      table.publishedAt,
      table.updatedAt,
      table.categoryId,
    ),
    index("posts_by_update").on(
      ...ofList(table),
      table.updatedAt,
      table.id,
      table.publishedAt,
      table.createdAt,
      table.categoryId,
    ),
    index("posts_by_title").on(
      ...ofList(table),
      sql`${table.title} collate nocase`,
      table.id,
      table.publishedAt,
      table.createdAt,
      table.updatedAt,
      table.categoryId,
    ),
  ],
);

/** What every list is of: the posts of one blog that are not deleted, of these states and types. */
function ofList<Columns extends Record<"blogId" | "deletedAt" | "status" | "type", unknown>>({
  blogId,
  deletedAt,
  status,
  type,
}: Columns) {
  return [blogId, deletedAt, status, type] as [
    Columns["blogId"],
    Columns["deletedAt"],
    Columns["status"],
    Columns["type"],
  ];
}

/** How many posts a blog has of each month (UTC), by their time of publication, drafts and pages apart. Kept by triggers. */
export const postMonths = sqliteTable(
  "post_months",
  { blogId: integer().notNull(), month: text().notNull(), posts: integer().notNull() },
  (table) => [primaryKey({ columns: [table.blogId, table.month] })],
);

/** The content of a post, which no list reads. */
export const contents = sqliteTable("contents", {
  postId: ownedBy(() => posts.id).primaryKey(),
  sourceType: text({ enum: ["html", "markdown"] }).notNull(),
  html: text().notNull(),
  text: text().notNull(),
  /** As it was sent; `html` and `text` are made from it on every write. null: it is `html`. */
  source: text(),
});

/**
 * The tags of posts. With each stands what lists of a tag are filtered and sorted by, as it is in the post, so that posts
 * that are passed over are not read: a trigger on `posts` follows its changes (migration 0010).
 */
export const postTags = sqliteTable(
  "post_tags",
  {
    postId: ownedBy(() => posts.id),
    tagId: ownedBy(() => tags.id),
    position: integer().notNull(),
    status: text({ enum: ["published", "draft", "archived"] }).notNull(),
    type: text({ enum: ["post", "page"] }).notNull(),
    hidden: integer({ mode: "boolean" }).notNull(),
    /** The time of publication, or of creation for what has none; null for what is in the trash. */
    listedAt: instant(),
  },
  (table) => [
    primaryKey({ columns: [table.postId, table.tagId] }),
    index("post_tags_of_list").on(
      table.tagId,
      table.status,
      table.type,
      table.listedAt,
      table.postId,
      table.hidden,
    ),
  ],
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

/** Where a post used to be: its old address redirects to the present one. Of a post from elsewhere it may be any path ("2013/05/tea", "?p=7"). */
export const oldSlugs = sqliteTable(
  "old_slugs",
  {
    blogId: ownedBy(() => blogs.id),
    slug: text().notNull(),
    postId: ownedBy(() => posts.id),
  },
  (table) => [primaryKey({ columns: [table.blogId, table.slug] }), index("old_slugs_post").on(table.postId)],
);

/** What a post was before a save: the writable fields as they stood, the content where the save changed it, and who saved. */
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

/** What stands in the form of a post and is not saved yet: the browser sends it every few seconds (see posts/unsaved). */
export const unsavedPosts = sqliteTable(
  "unsaved_posts",
  {
    id: id(),
    accountId: ownedBy(() => accounts.id),
    blogId: ownedBy(() => blogs.id),
    /** null: of a new one, which `newPost` names until it is saved. */
    postId: integer().references(() => posts.id, { onDelete: "cascade" }),
    newPost: text(),
    /** Of the post that the form was loaded with. */
    version: text().notNull(),
    /** null: saved or discarded, what is still on its way counts for nothing. */
    fields: text({ mode: "json" }).$type<Record<string, unknown>>(),
    /** One for each time it was sent, the newest first, with spaces between; see keepUnsaved. */
    stamps: text().notNull(),
    keptAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("unsaved_posts_post").on(table.postId, table.accountId),
    uniqueIndex("unsaved_posts_new").on(table.accountId, table.blogId, table.newPost),
    index("unsaved_posts_blog").on(table.blogId, table.accountId, table.keptAt),
    index("unsaved_posts_old")
      .on(table.keptAt)
      .where(sql`${table.postId} is null or ${table.fields} is null`),
  ],
);

/** How often a post was read on a day (of the blog's zone, "2026-03-01"); counted without cookies. */
export const views = sqliteTable(
  "views",
  {
    postId: ownedBy(() => posts.id),
    /** Empty: on all days before those that are kept one by one. */
    day: text().notNull(),
    count: integer().notNull(),
    /** Of the post. */
    blogId: integer().references(() => blogs.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.postId, table.day] }),
    index("views_most_read").on(table.blogId, table.day, table.count, table.postId),
  ],
);

/** How often any post of a blog was read on a day. */
export const blogReadings = sqliteTable(
  "blog_readings",
  { blogId: ownedBy(() => blogs.id), day: text().notNull(), count: integer().notNull() },
  (table) => [primaryKey({ columns: [table.blogId, table.day] })],
);

/** From which other sites readers came on a day; no address, and nothing that tells one reader from another. */
export const referrers = sqliteTable(
  "referrers",
  {
    blogId: ownedBy(() => blogs.id),
    day: text().notNull(),
    /** "example.org"; empty: all others of a day that had more than are kept. */
    host: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.blogId, table.day, table.host] })],
);
