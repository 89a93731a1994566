import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, id, instant, ownedBy } from "./columns";
import { posts } from "./post-tables";

/** What readers write under a post. */
export const komments = sqliteTable(
  "komments",
  {
    id: id(),
    /** Of the post: a blog's are listed and counted by it. */
    blogId: ownedBy(() => blogs.id),
    postId: ownedBy(() => posts.id),
    status: text({ enum: ["waiting", "shown", "refused"] }).notNull(),
    name: text().notNull(),
    /** A website or e-mail address, as it was given; an e-mail address is never shown. */
    address: text().notNull().default(""),
    source: text().notNull(),
    html: text().notNull(),
    createdAt: createdAt(),
    editedAt: instant(),
    /** SHA-256 of the secret in the writer's private link. */
    editHash: text().notNull(),
    /** The owner's, shown below it: as written and as HTML; null without one. */
    answer: text(),
    answerHtml: text(),
    answeredAt: instant(),
  },
  (table) => [
    index("komments_post").on(table.postId, table.status, table.id),
    index("komments_blog").on(table.blogId, table.id),
    index("komments_status").on(table.blogId, table.status, table.id),
    index("komments_waiting").on(table.id).where(sql`${table.status} = 'waiting'`),
    uniqueIndex("komments_edit").on(table.editHash),
  ],
);

/** How many komments came to a blog in each month (UTC), refused ones apart. Kept by triggers on `komments`. */
export const kommentMonths = sqliteTable(
  "komment_months",
  { blogId: integer().notNull(), month: text().notNull(), komments: integer().notNull() },
  (table) => [primaryKey({ columns: [table.blogId, table.month] })],
);
