import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ThemeName } from "../../themes/themes";
import { accounts } from "./account-tables";
import { createdAt, flag, id, instant, ownedBy } from "./columns";

/** To a page or post, a category, or any address: below the blog's ("/archive") or whole. */
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
    /** A domain that an author asked for. It becomes `domain` once it was seen to lead here, or an admin allows it. */
    pendingDomain: text(),
    description: text().notNull().default(""),
    language: text().notNull().default("en"),
    timeZone: text().notNull().default("UTC"),
    /** How the public site looks: one of the themes, and the owner's touches. */
    theme: text().$type<ThemeName>().notNull().default("serif"),
    /** "#rrggbb"; empty: the theme's own. */
    accent: text().notNull().default(""),
    /** Limited HTML, sanitised when it is set. */
    headerHtml: text().notNull().default(""),
    footerHtml: text().notNull().default(""),
    /** Sanitised when it is set. */
    customCss: text().notNull().default(""),
    /** As its owner typed it, for changing it; null: as it is in `customCss`. */
    cssSource: text(),
    /** The owner's other addresses, linked with rel=me. */
    profiles: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    /** By id, what is at the blog's address instead of the newest posts: a page, or a category's (see posts/linked/home-choice). */
    homePostId: integer(),
    homeCategoryId: integer(),
    /** Links at the head of every page, in their order. */
    navigation: text({ mode: "json" }).$type<NavigationLink[]>().notNull().default([]),
    /** In each list of posts. */
    postsAPage: integer().notNull().default(20),
    /** May readers write komments, and do those wait for the owner? */
    kommentsOpen: integer({ mode: "boolean" }).notNull().default(true),
    kommentsModerated: integer({ mode: "boolean" }).notNull().default(true),
    /** Mail addresses and words, one a line: komments and messages with one of them are refused. */
    blocked: text().notNull().default(""),
    /** Signs the blog's webhooks (`whsec_…`); null until the first one is added. */
    webhookSecret: text(),
    /** The secret before the last rotation, which signs too until `formerSecretUntil`. */
    formerSecret: text(),
    formerSecretUntil: instant(),
    createdAt: createdAt(),
    updatedAt: instant().notNull(),
  },
  (table) => [
    uniqueIndex("blogs_slug").on(table.slug),
    uniqueIndex("blogs_domain").on(table.domain),
    index("blogs_account").on(table.accountId),
  ],
);

/**
 * Where pages have become others since caches were last told (see upkeep/purging). Kept by triggers on all that pages show
 * (migration 0009).
 */
export const pageChanges = sqliteTable("page_changes", {
  /** A blog's id; or where pages were until then: a domain, or "" for below the base address. */
  place: text().primaryKey(),
  isBeingTold: flag(),
});

/** What was brought into a blog from elsewhere, at one time. */
export const imports = sqliteTable(
  "imports",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    format: text().notNull(),
    /** The name of the file or folder it was read from. */
    source: text().notNull(),
    startedAt: createdAt(),
    /** null: it was cut off, and the next one of the same name goes on with it. */
    finishedAt: instant(),
  },
  (table) => [index("imports_blog").on(table.blogId, table.id)],
);

/** What an import has made, each by what it was called there: a second import leaves it alone, and undoing takes it back. */
export const importRecords = sqliteTable(
  "import_records",
  {
    id: id(),
    importId: ownedBy(() => imports.id),
    blogId: ownedBy(() => blogs.id),
    /** "rest": a post with the same key that is not whole yet. */
    kind: text({ enum: ["post", "file", "category", "tag", "message", "rest"] }).notNull(),
    /** SHA-256 of the name it had there, hex. */
    key: text().notNull(),
    /** The id of what was made; it may be gone since. Of a "rest": how much of what belongs to the post is there. */
    thingId: integer().notNull(),
  },
  (table) => [
    uniqueIndex("import_records_key").on(table.blogId, table.kind, table.key),
    index("import_records_import").on(table.importId, table.kind, table.id),
  ],
);
