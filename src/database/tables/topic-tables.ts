import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { id, ownedBy } from "./columns";

export const categories = topics("categories");

export const tags = topics("tags");

/** Previous slugs of categories and tags. They redirect to the topic, or to the archive. */
export const formerTopics = sqliteTable(
  "former_topics",
  {
    blogId: ownedBy(() => blogs.id),
    kind: text({ enum: ["category", "tag"] }).notNull(),
    slug: text().notNull(),
    /** null: the topic was deleted. */
    topicId: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.blogId, table.kind, table.slug] }),
    index("former_topics_topic").on(table.kind, table.topicId),
  ],
);

function topics<Name extends string>(table: Name) {
  return sqliteTable(
    table,
    {
      id: id(),
      blogId: ownedBy(() => blogs.id),
      name: text().notNull(),
      /** The name, case-folded. */
      nameKey: text().notNull(),
      slug: text().notNull(),
    },
    (columns) => [
      uniqueIndex(`${table}_name`).on(columns.blogId, columns.nameKey),
      uniqueIndex(`${table}_slug`).on(columns.blogId, columns.slug),
    ],
  );
}
