import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Design } from "../../themes/design";
import { accounts } from "./account-tables";
import { createdAt, flag, id, instant, ownedBy } from "./columns";

/** A link to a post, a category or a URL. The URL is absolute, or relative to the blog ("/archive"). */
type NavigationLink = { label: string } & ({ postId: number } | { categoryId: number } | { address: string });

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
    /** A requested domain. Becomes `domain` after verification or an admin's approval. */
    pendingDomain: text(),
    description: text().notNull().default(""),
    language: text().notNull().default("en"),
    timeZone: text().notNull().default("UTC"),
    /** A built-in theme, or a folder in `themes` of the data folder. */
    theme: text().notNull().default("serif"),
    /** "#rrggbb"; empty: the theme's accent. */
    accent: text().notNull().default(""),
    /** Choices of the design page that differ from the theme's. */
    design: text({ mode: "json" }).$type<Design>().notNull().default({}),
    /** Header HTML, sanitized on save. */
    headerHtml: text().notNull().default(""),
    footerHtml: text().notNull().default(""),
    /** Stylesheet for readers, sanitized on save. */
    customCss: text().notNull().default(""),
    /** The stylesheet as typed; null: same as `customCss`. */
    cssSource: text(),
    /** The owner's profiles elsewhere, linked with rel=me. */
    profiles: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    /** A page or category shown as home page instead of the newest posts. */
    homePostId: integer(),
    homeCategoryId: integer(),
    navigation: text({ mode: "json" }).$type<NavigationLink[]>().notNull().default([]),
    postsAPage: integer().notNull().default(20),
    /** Whether feeds contain whole posts or only their summaries. */
    feedContent: text({ enum: ["full", "summary"] })
      .notNull()
      .default("full"),
    kommentsOpen: integer({ mode: "boolean" }).notNull().default(true),
    kommentsModerated: integer({ mode: "boolean" }).notNull().default(true),
    /** E-mail addresses and words, one per line; komments and messages that contain one are rejected. */
    blocked: text().notNull().default(""),
    /** Signs webhooks (`whsec_…`); null before the first webhook. */
    webhookSecret: text(),
    /** Whether webhooks get `komment.created`. */
    kommentEvents: flag(),
    /** The previous secret, which also signs until `formerSecretUntil`. */
    formerSecret: text(),
    formerSecretUntil: instant(),
    /** Channel that receives the posts' events → its settings; null: no channel. Webhooks are not listed here. */
    reach: text({ mode: "json" }).$type<Record<string, unknown>>(),
    createdAt: createdAt(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("blogs_slug").on(table.slug),
    uniqueIndex("blogs_domain").on(table.domain),
    index("blogs_account").on(table.accountId),
  ],
);

/** Blogs whose pages have changed since the last CDN purge. Maintained by triggers (migration 0009). */
export const pageChanges = sqliteTable("page_changes", {
  /** A blog's id, a previous domain, or "" for all pages below the base URL. */
  place: text().primaryKey(),
  isBeingTold: flag(),
});

export const imports = sqliteTable(
  "imports",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    format: text().notNull(),
    /** Name of the imported file or folder. */
    source: text().notNull(),
    startedAt: createdAt(),
    /** null: not finished. The next import with the same name continues it. */
    finishedAt: instant(),
  },
  (table) => [index("imports_blog").on(table.blogId, table.id)],
);

/** Items created by an import, by original name. Prevents duplicates and allows undo. */
export const importRecords = sqliteTable(
  "import_records",
  {
    id: id(),
    importId: ownedBy(() => imports.id),
    blogId: ownedBy(() => blogs.id),
    /** "rest": any other item of an archive, such as a post's komments, revisions or translation key. */
    kind: text({ enum: ["post", "file", "category", "tag", "message", "rest"] }).notNull(),
    /** SHA-256 of the original name, hex. */
    key: text().notNull(),
    /** Id of the created item, which may be deleted since. For "rest": id of the post. */
    thingId: integer().notNull(),
  },
  (table) => [
    uniqueIndex("import_records_key").on(table.blogId, table.kind, table.key),
    index("import_records_import").on(table.importId, table.kind, table.id),
  ],
);
