import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Design } from "../../themes/design-choices";
import { accounts } from "./account-tables";
import { createdAt, flag, id, instant, oneOf, ownedBy, refersTo } from "./columns";

/** `address` is an absolute URL, or a path relative to the blog, such as "/archive". */
type NavigationLink = { label: string } & ({ postId: number } | { categoryId: number } | { address: string });

export const blogs = sqliteTable(
  "blogs",
  {
    id: id(),
    accountId: refersTo(() => accounts.id),
    title: text().notNull(),
    slug: text().notNull(),
    domain: text(),
    pendingDomain: text(),
    description: text().notNull().default(""),
    language: text().notNull().default("en"),
    timeZone: text().notNull().default("UTC"),
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
    profiles: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    /** Page or category shown as the home page. At most one of the two is set. */
    homePostId: integer(),
    homeCategoryId: integer(),
    navigation: text({ mode: "json" }).$type<NavigationLink[]>().notNull().default([]),
    postsAPage: integer().notNull().default(20),
    feedContent: oneOf(["full", "summary"], "full"),
    kommentsOpen: integer({ mode: "boolean" }).notNull().default(true),
    kommentsModerated: integer({ mode: "boolean" }).notNull().default(true),
    /** One e-mail address or text per line. */
    blocked: text().notNull().default(""),
    /** Begins with `whsec_`; null before the first webhook. */
    webhookSecret: text(),
    kommentEvents: flag(),
    /** The previous secret also signs until `formerSecretUntil`. */
    formerSecret: text(),
    formerSecretUntil: instant(),
    /** Channel → its settings, for channels that are on; null: none. Webhooks are not included. */
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

/** Places whose pages have changed since the last CDN purge. */
export const pageChanges = sqliteTable("page_changes", {
  /** A blog's id, a previous domain, or "" for the host of PLATEN_URL. */
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

export const importRecords = sqliteTable(
  "import_records",
  {
    id: id(),
    importId: ownedBy(() => imports.id),
    blogId: ownedBy(() => blogs.id),
    /** "rest": other items, such as a post's komments or revisions. */
    kind: text({ enum: ["post", "file", "category", "tag", "message", "rest"] }).notNull(),
    /** SHA-256 of the original name, hex. */
    key: text().notNull(),
    /** Id of the created item, or for "rest" of the post. The row may have been deleted since. */
    thingId: integer().notNull(),
  },
  (table) => [
    uniqueIndex("import_records_key").on(table.blogId, table.kind, table.key),
    index("import_records_import").on(table.importId, table.kind, table.id),
  ],
);
