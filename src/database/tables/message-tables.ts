import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, id, ownedBy } from "./columns";
import { posts } from "./post-tables";

/** Messages from the contact form. */
export const messages = sqliteTable(
  "messages",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    /** The page with the contact form. */
    postId: integer().references(() => posts.id, { onDelete: "set null" }),
    name: text().notNull(),
    address: text().notNull().default(""),
    text: text().notNull(),
    createdAt: createdAt(),
    /** Source of the message; "" for the contact form. */
    origin: text({ enum: ["", "fediverse"] })
      .notNull()
      .default(""),
    /** The message's id on the server where it was written, which a later deletion names. */
    originUri: text().notNull().default(""),
    status: text({ enum: ["waiting", "read", "refused"] })
      .notNull()
      .default("waiting"),
  },
  (table) => [
    index("messages_blog").on(table.blogId, table.id),
    index("messages_status").on(table.blogId, table.status, table.id),
    index("messages_post").on(table.postId),
    uniqueIndex("messages_origin").on(table.blogId, table.originUri).where(sql`${table.originUri} <> ''`),
  ],
);
