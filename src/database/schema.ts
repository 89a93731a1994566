/**
 * Every table, in reading order. Column names are the properties' in snake_case (drizzle's `casing`);
 * times are milliseconds since 1970 UTC; a foreign key always has an index that begins with it.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

const id = () => integer().primaryKey({ autoIncrement: true });
const instant = () => integer({ mode: "timestamp_ms" });
const flag = () => integer({ mode: "boolean" }).notNull().default(false);

/** Instance-wide values that must travel with the folder: the secret that signs attachment ids, and the like. */
export const settings = sqliteTable("settings", {
  name: text().primaryKey(),
  value: text().notNull(),
});

// ─── Accounts ────────────────────────────────────────────────────────────────────────────────────────────────────

export const accounts = sqliteTable(
  "accounts",
  {
    id: id(),
    email: text().notNull(),
    name: text().notNull(),
    passwordHash: text(),
    isAdmin: flag(),
    createdAt: instant().notNull(),
  },
  (table) => [uniqueIndex("accounts_email").on(sql`lower(${table.email})`)],
);

/** API keys. The key itself is shown once and never stored. */
export const keys = sqliteTable(
  "keys",
  {
    id: id(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    name: text().notNull(),
    hash: text().notNull(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    createdAt: instant().notNull(),
    expiresAt: instant(),
    revokedAt: instant(),
  },
  (table) => [uniqueIndex("keys_hash").on(table.hash), index("keys_account").on(table.accountId)],
);

/** The blogs a key is bound to; a key without a row here reaches all blogs of its account. */
export const keyBlogs = sqliteTable(
  "key_blogs",
  {
    keyId: integer()
      .notNull()
      .references(() => keys.id, { onDelete: "cascade" }),
    blogId: integer()
      .notNull()
      .references(() => blogs.id, { onDelete: "cascade" }),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.blogId] }), index("key_blogs_blog").on(table.blogId)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    hash: text().primaryKey(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull(),
  },
  (table) => [index("sessions_account").on(table.accountId)],
);

// ─── Blogs ───────────────────────────────────────────────────────────────────────────────────────────────────────

export const blogs = sqliteTable(
  "blogs",
  {
    id: id(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id),
    title: text().notNull(),
    slug: text().notNull(),
    domain: text(),
    description: text().notNull().default(""),
    language: text().notNull().default("en"),
    timeZone: text().notNull().default("UTC"),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("blogs_slug").on(table.slug),
    uniqueIndex("blogs_domain").on(table.domain),
    index("blogs_account").on(table.accountId),
  ],
);

export const categories = sqliteTable(
  "categories",
  {
    id: id(),
    blogId: integer()
      .notNull()
      .references(() => blogs.id, { onDelete: "cascade" }),
    name: text().notNull(),
    /** The name folded for comparison: names match without regard to case. */
    nameKey: text().notNull(),
    slug: text().notNull(),
  },
  (table) => [
    uniqueIndex("categories_name").on(table.blogId, table.nameKey),
    uniqueIndex("categories_slug").on(table.blogId, table.slug),
  ],
);

export const tags = sqliteTable(
  "tags",
  {
    id: id(),
    blogId: integer()
      .notNull()
      .references(() => blogs.id, { onDelete: "cascade" }),
    name: text().notNull(),
    nameKey: text().notNull(),
    slug: text().notNull(),
  },
  (table) => [
    uniqueIndex("tags_name").on(table.blogId, table.nameKey),
    uniqueIndex("tags_slug").on(table.blogId, table.slug),
  ],
);

// ─── Media ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Uploaded files. The bytes lie in media/{folder}/{filename}, at the address /media/{folder}/{filename}. */
export const blobs = sqliteTable(
  "blobs",
  {
    id: id(),
    blogId: integer()
      .notNull()
      .references(() => blogs.id),
    /** Unguessable; the folder's name on disk and in the address. */
    folder: text().notNull(),
    /** Unique within the blog; the key of alt text (interface.md Alt text 1). */
    filename: text().notNull(),
    mediaType: text({ enum: ["image", "video"] }).notNull(),
    contentType: text().notNull(),
    byteSize: integer().notNull(),
    /** SHA-256 of the served file, hex. */
    sha256: text().notNull(),
    /** Pixels as shown, after orientation; null where unknown. */
    width: integer(),
    height: integer(),
    /** More than one frame: shown as it is, never resized. */
    isAnimated: flag(),
    hasPoster: flag(),
    /** The upload's caption: the alt text where none is given (interface.md Alt text 4). */
    caption: text().notNull().default(""),
    createdAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("blobs_folder").on(table.folder),
    uniqueIndex("blobs_filename").on(table.blogId, table.filename),
  ],
);

// ─── Posts ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Posts and pages. */
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
    createdAt: instant().notNull(),
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
    /** As it was sent; `html` and `text` are made from it on every write. */
    source: text().notNull(),
    sourceType: text({ enum: ["html", "markdown"] }).notNull(),
    html: text().notNull(),
    text: text().notNull(),
  },
  (table) => [
    uniqueIndex("posts_slug").on(table.blogId, table.slug).where(sql`${table.deletedAt} is null`),
    uniqueIndex("posts_share").on(table.shareId),
    index("posts_category").on(table.categoryId, table.publishedAt),
    index("posts_by_publication").on(table.blogId, table.status, table.publishedAt),
    index("posts_by_creation").on(table.blogId, table.createdAt),
    index("posts_by_update").on(table.blogId, table.updatedAt),
    index("posts_by_title").on(table.blogId, sql`${table.title} collate nocase`),
  ],
);

export const postTags = sqliteTable(
  "post_tags",
  {
    postId: integer()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    tagId: integer()
      .notNull()
      .references(() => tags.id, { onDelete: "cascade" }),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.postId, table.tagId] }), index("post_tags_tag").on(table.tagId)],
);

/** A blob embedded in a post's content, in the order it appears there. */
export const attachments = sqliteTable(
  "attachments",
  {
    id: id(),
    postId: integer()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
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
    blogId: integer()
      .notNull()
      .references(() => blogs.id, { onDelete: "cascade" }),
    slug: text().notNull(),
    postId: integer()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
  },
  (table) => [primaryKey({ columns: [table.blogId, table.slug] }), index("old_slugs_post").on(table.postId)],
);

/** What a post was before a save: the writable fields as they stood. */
export const revisions = sqliteTable(
  "revisions",
  {
    id: id(),
    postId: integer()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    replacedAt: instant().notNull(),
    fields: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  },
  (table) => [index("revisions_post").on(table.postId, table.id)],
);

// ─── Requests ────────────────────────────────────────────────────────────────────────────────────────────────────

/** First answers to writes that carried an Idempotency-Key, kept for 24 hours. */
export const idempotentAnswers = sqliteTable(
  "idempotent_answers",
  {
    keyId: integer()
      .notNull()
      .references(() => keys.id, { onDelete: "cascade" }),
    idempotencyKey: text().notNull(),
    /** Method, path and body hashed: the same key with another request is a client's mistake. */
    request: text().notNull(),
    status: integer().notNull(),
    headers: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
    body: text().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.idempotencyKey] }),
    index("idempotent_answers_age").on(table.createdAt),
  ],
);
