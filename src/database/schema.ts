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
    /** The app that got this key by signing in (IndieAuth client_id); null for a key made by hand. */
    clientId: text(),
    /** SHA-256 of the refresh token that this key may be renewed with. */
    refreshHash: text(),
  },
  (table) => [
    uniqueIndex("keys_hash").on(table.hash),
    uniqueIndex("keys_refresh").on(table.refreshHash),
    index("keys_account").on(table.accountId),
  ],
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

/** IndieAuth authorization codes: single-use, short-lived, bound to the app that asked (IndieAuth 5.2.1). */
export const authorizationCodes = sqliteTable(
  "authorization_codes",
  {
    hash: text().primaryKey(),
    accountId: integer()
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    /** The blog whose address is `me`. */
    blogId: integer()
      .notNull()
      .references(() => blogs.id, { onDelete: "cascade" }),
    /** The blogs the owner let the app reach; null: all of the account. */
    blogIds: text({ mode: "json" }).$type<number[]>(),
    clientId: text().notNull(),
    redirectUri: text().notNull(),
    challenge: text().notNull(),
    /** Everything granted, `profile` and `email` included; none: the app only learns who signed in. */
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    expiresAt: instant().notNull(),
    /** The key made with it: using a code twice revokes that. */
    usedForKeyId: integer().references(() => keys.id, { onDelete: "cascade" }),
    usedAt: instant(),
  },
  (table) => [
    index("authorization_codes_account").on(table.accountId),
    index("authorization_codes_blog").on(table.blogId),
    index("authorization_codes_key").on(table.usedForKeyId),
    index("authorization_codes_age").on(table.expiresAt),
  ],
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
    /** How the public site looks: one of the built-in themes, and the owner's touches. */
    theme: text({ enum: ["serif", "sans", "photo"] })
      .notNull()
      .default("serif"),
    /** "#rrggbb"; empty: the theme's own. */
    accent: text().notNull().default(""),
    /** Limited HTML, sanitised when it is set. */
    headerHtml: text().notNull().default(""),
    footerHtml: text().notNull().default(""),
    /** Sanitised when it is set. */
    customCss: text().notNull().default(""),
    /** The owner's other addresses, linked with rel=me. */
    profiles: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    /** May readers write komments, and do those wait for the owner? */
    kommentsOpen: integer({ mode: "boolean" }).notNull().default(true),
    kommentsModerated: integer({ mode: "boolean" }).notNull().default(true),
    /** Signs the blog's webhooks (`whsec_…`); null until the first one is added. */
    webhookSecret: text(),
    /** The secret before the last rotation, which signs too until `formerSecretUntil`. */
    formerSecret: text(),
    formerSecretUntil: instant(),
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
    /** A tiny picture as a data: address, shown blurred while the real one loads; empty where there is none yet. */
    placeholder: text().notNull().default(""),
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
    /** Microformats properties Platen has no field for, as they came (mf2: name → array of values). */
    properties: text({ mode: "json" }).$type<Record<string, unknown[]>>().notNull().default({}),
    /** The world has been told that it is live, and not yet that it is not. */
    isAnnounced: flag(),
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
    index("posts_unannounced")
      .on(table.publishedAt)
      .where(sql`${table.status} = 'published' and not ${table.isAnnounced} and ${table.deletedAt} is null`),
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

// ─── Readers ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** What readers write under a post. */
export const komments = sqliteTable(
  "komments",
  {
    id: id(),
    postId: integer()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    status: text({ enum: ["waiting", "shown", "refused"] }).notNull(),
    name: text().notNull(),
    /** A website or e-mail address, as it was given; an e-mail address is never shown. */
    address: text().notNull().default(""),
    source: text().notNull(),
    html: text().notNull(),
    createdAt: instant().notNull(),
    editedAt: instant(),
    /** SHA-256 of the secret in the writer's private link. */
    editHash: text().notNull(),
  },
  (table) => [
    index("komments_post").on(table.postId, table.status, table.id),
    index("komments_waiting").on(table.id).where(sql`${table.status} = 'waiting'`),
    uniqueIndex("komments_edit").on(table.editHash),
  ],
);

/** What readers send through the contact form. */
export const messages = sqliteTable(
  "messages",
  {
    id: id(),
    blogId: integer()
      .notNull()
      .references(() => blogs.id, { onDelete: "cascade" }),
    /** The page it was written on. */
    postId: integer().references(() => posts.id, { onDelete: "set null" }),
    name: text().notNull(),
    address: text().notNull().default(""),
    text: text().notNull(),
    createdAt: instant().notNull(),
    readAt: instant(),
  },
  (table) => [index("messages_blog").on(table.blogId, table.id), index("messages_post").on(table.postId)],
);

/** How often a post was read on a day (UTC, "2026-03-01"); counted without cookies. */
export const views = sqliteTable(
  "views",
  {
    postId: integer()
      .notNull()
      .references(() => posts.id, { onDelete: "cascade" }),
    day: text().notNull(),
    count: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.postId, table.day] })],
);

// ─── Webhooks ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Addresses a blog's events are sent to. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: id(),
    blogId: integer()
      .notNull()
      .references(() => blogs.id, { onDelete: "cascade" }),
    url: text().notNull(),
    createdAt: instant().notNull(),
    /** Removed addresses stay, unseen, for the log's sake. */
    removedAt: instant(),
    /** Set when the receiver was given up (410, or days of failures), with the reason for the owner to read. */
    disabledAt: instant(),
    disabledBecause: text(),
    /** Since when nothing but failures; null after a success. */
    failingSince: instant(),
    /** Fold bursts: wait for this many milliseconds without another event, then send the last one only; 0: never. */
    quietPeriod: integer().notNull().default(0),
  },
  (table) => [uniqueIndex("webhooks_url").on(table.blogId, table.url)],
);

/** What happened to live content, written in the transaction that made it happen; the payload is finished there. */
export const events = sqliteTable(
  "events",
  {
    id: id(),
    blogId: integer()
      .notNull()
      .references(() => blogs.id, { onDelete: "cascade" }),
    /** No foreign key: the event outlives the post. */
    postId: integer(),
    name: text().notNull(),
    occurredAt: instant().notNull(),
    payload: text().notNull(),
    /** Its deliveries have been written. */
    isQueued: flag(),
  },
  (table) => [
    index("events_blog").on(table.blogId, table.id),
    index("events_age").on(table.occurredAt),
    index("events_unqueued").on(table.id).where(sql`not ${table.isQueued}`),
  ],
);

/** The outbox: one event for one address. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    id: id(),
    eventId: integer()
      .notNull()
      .references(() => events.id, { onDelete: "cascade" }),
    webhookId: integer()
      .notNull()
      .references(() => webhooks.id, { onDelete: "cascade" }),
    /** `folded`: a later event of the burst went instead; `dropped`: the address was off or removed. */
    state: text({ enum: ["pending", "sending", "delivered", "failed", "folded", "dropped"] })
      .notNull()
      .default("pending"),
    attempts: integer().notNull().default(0),
    /** Failed attempts since it was last put in the queue: how far it is in the retry schedule. */
    failures: integer().notNull().default(0),
    /** When it may be tried next; null once it is settled. */
    dueAt: instant(),
    /** Since when its burst has been held back; null where bursts are not folded. */
    heldSince: instant(),
    settledAt: instant(),
  },
  (table) => [
    uniqueIndex("deliveries_event").on(table.eventId, table.webhookId),
    index("deliveries_webhook").on(table.webhookId, table.id),
    index("deliveries_first")
      .on(table.webhookId, table.id)
      .where(sql`${table.state} = 'pending' and ${table.attempts} = 0`),
    index("deliveries_again")
      .on(table.webhookId, table.dueAt)
      .where(sql`${table.state} = 'pending' and ${table.attempts} > 0`),
    index("deliveries_sending").on(table.id).where(sql`${table.state} = 'sending'`),
  ],
);

export const attempts = sqliteTable(
  "attempts",
  {
    id: id(),
    deliveryId: integer()
      .notNull()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    at: instant().notNull(),
    /** HTTP status; null where none came. */
    status: integer(),
    /** What went wrong, for people, where the status does not say it. */
    failure: text(),
    /** In milliseconds. */
    duration: integer().notNull(),
    /** The first KB of the answer. */
    answer: text().notNull().default(""),
  },
  (table) => [index("attempts_delivery").on(table.deliveryId, table.id)],
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
