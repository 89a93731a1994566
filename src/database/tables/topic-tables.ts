import { sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { id, ownedBy } from "./columns";

export const categories = topics("categories");

export const tags = topics("tags");

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
