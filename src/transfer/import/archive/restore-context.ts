import { and, eq } from "drizzle-orm";
import type { Account } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { posts } from "../../../database/schema";
import type { Platen } from "../../../platen";
import { permanentIds } from "../../../posts/post/permanent-ids";
import { dateOrNull } from "../items/exported-lines";
import { findRecord, type ImportRow } from "../run/import-records";
import type { ImportReport } from "../run/import-report";
import type { Source } from "../sources/source";
import type { ArchiveInfo } from "./archive-reader";

export interface RestoreContext {
  platen: Platen;
  blog: Blog;
  account: Account;
  source: Source;
  about: ArchiveInfo;
  run: ImportRow;
  report: ImportReport;
  onProgress(): void;
}

export function archivePostKey(archive: string, line: Record<string, unknown>): string {
  return `platen ${archive} ${line.id}`;
}

/** True if an earlier run imported the post, or if this is the exported blog and still has the post. */
export function isPostPresent(
  platen: Platen,
  blog: Blog,
  about: ArchiveInfo,
  line: Record<string, unknown>,
): boolean {
  if (findRecord(platen, blog.id, "post", archivePostKey(about.id, line)) !== undefined) return true;
  if (!isArchiveOfBlog(platen, blog, about)) return false;
  const createdAt = dateOrNull(line.created_at);
  const isSame = and(eq(posts.id, Number(line.id)), eq(posts.blogId, blog.id));
  const found = platen.db.select({ createdAt: posts.createdAt }).from(posts).where(isSame).get();
  // SQLite may have reused the id for another post.
  return found !== undefined && found.createdAt.getTime() === createdAt?.getTime();
}

export function isArchiveOfBlog(platen: Platen, blog: Blog, { id }: ArchiveInfo): boolean {
  return id === permanentIds(platen)("blog", blog.id);
}

export function findPostId({ platen, blog, about }: RestoreContext, id: unknown): number | undefined {
  return findRecord(platen, blog.id, "post", archivePostKey(about.id, { id }));
}
