import { and, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Blog } from "../../../blogs/blogs";
import { komments, messages, posts, revisions } from "../../../database/schema";
import type { Platen } from "../../../platen";
import type { RevisionFields } from "../../../posts/revisions/revision-history";
import { countUnsupported, type ExportReport } from "../export-blog";

export function countUnsupportedParts(platen: Platen, blog: Blog, report: ExportReport): void {
  const { komments, messages, revisions, inTrash } = countHistory(platen, blog);
  countUnsupported(report, "komments", komments - report.komments);
  countUnsupported(report, "previous versions", revisions);
  countUnsupported(report, "contact form messages", messages);
  countUnsupported(report, "posts in the trash", inTrash);
  countUnsupported(report, "navigation links", blog.navigation.length);
}

export interface StoredRevision {
  replacedAt: Date;
  fields: RevisionFields;
}

function countHistory({ db }: Platen, { id }: Blog) {
  const count = (table: SQLiteTable, where: SQL | undefined) =>
    db.select({ n: sql<number>`count(*)` }).from(table).where(where).get()?.n ?? 0;
  const kept = db
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.blogId, id), isNull(posts.deletedAt)));
  return {
    komments: count(komments, and(eq(komments.blogId, id), inArray(komments.postId, kept))),
    messages: count(messages, eq(messages.blogId, id)),
    revisions: count(revisions, inArray(revisions.postId, kept)),
    inTrash: count(posts, and(eq(posts.blogId, id), isNotNull(posts.deletedAt))),
  };
}
