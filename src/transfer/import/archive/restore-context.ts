import { and, eq } from "drizzle-orm";
import type { Account } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { blobs, posts } from "../../../database/schema";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { permanentIds } from "../../../posts/post/permanent-ids";
import { dateOrNull, textOrEmpty } from "../items/exported-lines";
import { findRecord, type ImportRow } from "../run/import-records";
import type { ImportReport } from "../run/import-report";
import type { Source } from "../sources/source";
import type { ArchiveInfo, Fields } from "./archive-reader";

export interface ArchiveTarget {
  platen: Platen;
  blog: Blog;
  source: Source;
  about: ArchiveInfo;
  report: ImportReport;
}

export interface RestoreContext extends ArchiveTarget {
  account: Account;
  run: ImportRow;
  onProgress(): void;
}

/** @param id the post's id in the archive */
export function archivePostKey({ about }: ArchiveTarget, id: unknown): string {
  return `platen ${about.id} ${id}`;
}

export function archiveFileKey({ about }: ArchiveTarget, { folder }: Fields): string {
  return `platen ${about.id} ${textOrEmpty(folder)}`;
}

/** Id of the post that this or an earlier run restored. It may have been deleted. */
export function findPostId(at: ArchiveTarget, id: unknown): number | undefined {
  return findRecord(at.platen, at.blog.id, "post", archivePostKey(at, id));
}

/** True if an earlier run imported the post, or if this is the exported blog and still has the post. */
export function isPostPresent(at: ArchiveTarget, line: Fields): boolean {
  if (findPostId(at, line.id) !== undefined) return true;
  if (!isArchiveOfBlog(at)) return false;
  const isSame = and(eq(posts.id, Number(line.id)), eq(posts.blogId, at.blog.id));
  const found = at.platen.db.select({ createdAt: posts.createdAt }).from(posts).where(isSame).get();
  // SQLite may have reused the id for another post.
  return found !== undefined && found.createdAt.getTime() === dateOrNull(line.created_at)?.getTime();
}

/** The file that an earlier run imported. In the exported blog, the original file if it still exists. */
export function findRestoredFile(at: ArchiveTarget, line: Fields): StoredBlob | undefined {
  const { platen, blog } = at;
  const isSame = and(eq(blobs.blogId, blog.id), eq(blobs.folder, textOrEmpty(line.folder)));
  const own = isArchiveOfBlog(at) ? platen.db.select().from(blobs).where(isSame).get() : undefined;
  const restored = findRecord(platen, blog.id, "file", archiveFileKey(at, line));
  return own ?? (restored === undefined ? undefined : blobWithId(platen, restored));
}

function isArchiveOfBlog({ platen, blog, about }: ArchiveTarget): boolean {
  return about.id === permanentIds(platen)("blog", blog.id);
}
