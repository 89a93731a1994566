import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { ownedBy } from "./columns";
import { posts } from "./post-tables";

/** Pages that were notified of a post's links, so that removed links are reported too. */
export const sentMentions = sqliteTable(
  "sent_mentions",
  { postId: ownedBy(() => posts.id), target: text().notNull() },
  (table) => [primaryKey({ columns: [table.postId, table.target] })],
);
