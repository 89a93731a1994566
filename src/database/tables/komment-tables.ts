import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, id, instant, oneOf, ownedBy } from "./columns";
import { remoteActors } from "./fediverse-tables";
import { posts } from "./post-tables";

export const komments = sqliteTable(
  "komments",
  {
    id: id(),
    /** The post's blog, repeated here for lists and counts. */
    blogId: ownedBy(() => blogs.id),
    postId: ownedBy(() => posts.id),
    status: text({ enum: ["waiting", "shown", "refused"] }).notNull(),
    name: text().notNull(),
    /** The reader's website or e-mail address. An e-mail address must never be shown publicly. */
    address: text().notNull().default(""),
    source: text().notNull(),
    html: text().notNull(),
    createdAt: createdAt(),
    editedAt: instant(),
    /** SHA-256 of the secret in the edit link. */
    editHash: text().notNull(),
    answer: text(),
    answerHtml: text(),
    answeredAt: instant(),
    /** Address to mail when the owner replies. Must never be shown publicly. */
    answerTo: text(),
    answerToConfirmedAt: instant(),
    /** "": the form on this site. */
    origin: oneOf(["", "fediverse", "webmention", "bluesky", "mastodon"], ""),
    /** The komment's id on its origin, to which later edits and deletions refer; "" if written here. */
    originUri: text().notNull().default(""),
    originUrl: text().notNull().default(""),
    authorHandle: text().notNull().default(""),
    remoteActorId: integer().references(() => remoteActors.id, { onDelete: "set null" }),
    /** null for a reply to the post, or if the parent was unknown on arrival. Stays when the parent is deleted. */
    parentId: integer(),
  },
  (table) => [
    index("komments_post").on(table.postId, table.status, table.id),
    index("komments_blog").on(table.blogId, table.id),
    index("komments_status").on(table.blogId, table.status, table.id),
    index("komments_time").on(table.blogId, table.createdAt, table.status),
    index("komments_waiting").on(table.id).where(sql`${table.status} = 'waiting'`),
    uniqueIndex("komments_edit").on(table.editHash),
    uniqueIndex("komments_origin").on(table.blogId, table.originUri).where(sql`${table.originUri} <> ''`),
    index("komments_remote").on(table.remoteActorId),
    index("komments_answers_unconfirmed")
      .on(table.createdAt)
      .where(sql`${table.answerTo} is not null and ${table.answerToConfirmedAt} is null`),
  ],
);

export const messages = sqliteTable(
  "messages",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    /** The page with the contact form, or the post that the message replies to; null if none or purged. */
    postId: integer().references(() => posts.id, { onDelete: "set null" }),
    name: text().notNull(),
    address: text().notNull().default(""),
    text: text().notNull(),
    createdAt: createdAt(),
    /** "": the contact form. */
    origin: oneOf(["", "fediverse"], ""),
    /** The message's id on its server, to which a later deletion refers; "" if written here. */
    originUri: text().notNull().default(""),
    remoteActorId: integer().references(() => remoteActors.id, { onDelete: "set null" }),
    status: oneOf(["waiting", "read", "refused"], "waiting"),
  },
  (table) => [
    index("messages_blog").on(table.blogId, table.id),
    index("messages_status").on(table.blogId, table.status, table.id),
    index("messages_post").on(table.postId),
    index("messages_remote").on(table.remoteActorId),
    uniqueIndex("messages_origin").on(table.blogId, table.originUri).where(sql`${table.originUri} <> ''`),
  ],
);
