import { and, eq } from "drizzle-orm";
import type { Account } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { posts } from "../../../database/schema";
import type { Platen } from "../../../platen";
import { permanentIds } from "../../../posts/post/permanent-ids";
import { type ImportRow, madeBefore } from "../run/import-records";
import type { ImportReport } from "../run/import-report";
import type { Source } from "../sources/source";
import { type AboutArchive, timeOrNull } from "./archive-reader";

/** A restoration under way. */
export interface Restoring {
  platen: Platen;
  blog: Blog;
  account: Account;
  source: Source;
  about: AboutArchive;
  run: ImportRow;
  report: ImportReport;
  onProgress(): void;
}

/** What a second run knows a post of the archive by. */
export function postKey(archive: string, line: Record<string, unknown>): string {
  return `platen ${archive} ${line.id}`;
}

/**
 * Is the post that the line is of here, because it was brought before, or because the archive is this blog's own and it
 * has never been away?
 */
export function hasPost(
  platen: Platen,
  blog: Blog,
  about: AboutArchive,
  line: Record<string, unknown>,
): boolean {
  if (madeBefore(platen, blog.id, "post", postKey(about.id, line)) !== undefined) return true;
  if (!isOwn(platen, blog, about)) return false;
  const createdAt = timeOrNull(line.created_at);
  const isSame = and(eq(posts.id, Number(line.id)), eq(posts.blogId, blog.id));
  const found = platen.db.select({ createdAt: posts.createdAt }).from(posts).where(isSame).get();
  // A number that was given anew is another post's.
  return found !== undefined && found.createdAt.getTime() === createdAt?.getTime();
}

/** Was the archive made of this very blog? */
export function isOwn(platen: Platen, blog: Blog, { id }: AboutArchive): boolean {
  return id === permanentIds(platen)("blog", blog.id);
}

/** The post here that has this number in the archive. */
export function postHere({ platen, blog, about }: Restoring, id: unknown): number | undefined {
  return madeBefore(platen, blog.id, "post", postKey(about.id, { id }));
}
