import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Design } from "../../themes/design-choices";
import { accounts } from "./account-tables";
import { createdAt, flag, id, instant, ownedBy } from "./columns";

/** The address is an absolute URL, or a path relative to the blog, such as "/archive". */
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
    /** Becomes `domain` after verification or an admin's approval. */
    pendingDomain: text(),
    description: text().notNull().default(""),
    language: text().notNull().default("en"),
    timeZone: text().notNull().default("UTC"),
    /** A built-in theme, or a folder in `themes` of the data folder. */
    theme: text().notNull().default("serif"),
    /** "#rrggbb"; empty: the theme's accent. */
    accent: text().notNull().default(""),
    design: text({ mode: "json" }).$type<Design>().notNull().default({}),
    /** Sanitized on save. */
    headerHtml: text().notNull().default(""),
    footerHtml: text().notNull().default(""),
    /** Sanitized on save. */
    customCss: text().notNull().default(""),
    /** The stylesheet as typed; null: same as `customCss`. */
    cssSource: text(),
    /** URLs of the owner's profiles elsewhere, linked with rel=me. */
    profiles: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    /** The page or category that replaces the newest posts on the home page. At most one of the two is set. */
    homePostId: integer(),
    homeCategoryId: integer(),
    navigation: text({ mode: "json" }).$type<NavigationLink[]>().notNull().default([]),
    postsAPage: integer().notNull().default(20),
    feedContent: text({ enum: ["full", "summary"] })
      .notNull()
      .default("full"),
    kommentsOpen: integer({ mode: "boolean" }).notNull().default(true),
    kommentsModerated: integer({ mode: "boolean" }).notNull().default(true),
    /** One e-mail address or word per line. Komments and messages that match a line are rejected. */
    blocked: text().notNull().default(""),
    /** Begins with `whsec_`; null before the first webhook. */
    webhookSecret: text(),
    kommentEvents: flag(),
    /** The previous webhook secret, which also signs until `formerSecretUntil`. */
    formerSecret: text(),
    formerSecretUntil: instant(),
    /** Channel → settings, for channels that get the blog's posts; null: none. Webhooks are not included. */
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

/** Blogs whose pages have changed since the last CDN purge. Triggers insert the rows (see migrations/). */
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
    source: text().notNull(),
    startedAt: createdAt(),
    /** null: not finished. The next import of the same file or folder continues this one. */
    finishedAt: instant(),
  },
  (table) => [index("imports_blog").on(table.blogId, table.id)],
);

/** Items that an import created, by original name. They prevent duplicates and allow undo. */
export const importRecords = sqliteTable(
  "import_records",
  {
    id: id(),
    importId: ownedBy(() => imports.id),
    blogId: ownedBy(() => blogs.id),
    /** "rest": any other item, such as a post's komments, revisions or translation key. */
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
