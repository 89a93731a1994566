import { and, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { komments, messages, posts, revisions } from "../../../database/schema";
import { countUnsupported, type ExportContext } from "../export-blog";

export function countUnsupportedParts({ platen: { db }, blog, report }: ExportContext): void {
  const count = (table: SQLiteTable, where: SQL | undefined) =>
    db.select({ n: sql<number>`count(*)` }).from(table).where(where).get()?.n ?? 0;
  const isInTrash = and(eq(posts.blogId, blog.id), isNotNull(posts.deletedAt));
  const present = db
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.blogId, blog.id), isNull(posts.deletedAt)));
  countUnsupported(report, "komments", count(komments, inArray(komments.postId, present)) - report.komments);
  countUnsupported(report, "previous versions", count(revisions, inArray(revisions.postId, present)));
  countUnsupported(report, "contact form messages", count(messages, eq(messages.blogId, blog.id)));
  countUnsupported(report, "posts in the trash", count(posts, isInTrash));
  countUnsupported(report, "navigation links", blog.navigation.length);
}
