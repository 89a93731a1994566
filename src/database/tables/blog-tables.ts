import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { ThemeName } from "../../themes/themes";
import { accounts } from "./account-tables";
import { createdAt, id, instant } from "./columns";

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
