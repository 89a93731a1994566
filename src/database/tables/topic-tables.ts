import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { id, ownedBy } from "./columns";

export const categories = topics("categories");

export const tags = topics("tags");

/** Where a category or tag used to be: its old address leads to what it has become, or to the archive. */
export const formerTopics = sqliteTable(
  "former_topics",
  {
    blogId: ownedBy(() => blogs.id),
    kind: text({ enum: ["category", "tag"] }).notNull(),
    slug: text().notNull(),
    /** Of the category or tag; null: it was deleted. */
    topicId: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.blogId, table.kind, table.slug] }),
    index("former_topics_topic").on(table.kind, table.topicId),
  ],
);

/** What a blog's posts are sorted under: unique within the blog by name and by slug. */
function topics<Name extends string>(table: Name) {
  return sqliteTable(
    table,
    {
      id: id(),
      blogId: ownedBy(() => blogs.id),
      name: text().notNull(),
      /** The name folded for comparison: names match without regard to case. */
      nameKey: text().notNull(),
      slug: text().notNull(),
    },
    (columns) => [
      uniqueIndex(`${table}_name`).on(columns.blogId, columns.nameKey),
      uniqueIndex(`${table}_slug`).on(columns.blogId, columns.slug),
    ],
  );
}
