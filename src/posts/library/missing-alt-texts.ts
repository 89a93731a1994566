import { and, desc, eq, gt, isNull, lt, or } from "drizzle-orm";
import { attachments, blobs, posts } from "../../database/schema";
import type { StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { IS_NOT_DESCRIBED } from "./library-in-order";
import { libraryWindow } from "./library-window";

/** Counted up to so many. */
export const MOST_COUNTED = 500;

/** A picture as one post shows it. */
export interface Showing {
  blobId: number;
  attachmentId: number;
}

/** Where to begin looking: behind one, or at the files older than an id; else with the newest. */
export interface LookingFrom {
  after?: Showing;
  before?: number;
}

/**
 * Pictures as posts show them without any alt text, the newest files first.
 * @returns at most one more than MOST_COUNTED; `older`: files before this id were not looked at, null: all were
 */
export function missingAltTexts(platen: Platen, blogId: number, { after, before }: LookingFrom) {
  const window = libraryWindow(platen, blogId, after ? after.blobId + 1 : before);
  const missing = platen.db
    .select({ blobId: blobs.id, attachmentId: attachments.id, postId: posts.id })
    .from(blobs)
    .innerJoin(attachments, eq(attachments.blobId, blobs.id))
    .innerJoin(posts, eq(posts.id, attachments.postId))
    .where(
      and(
        eq(blobs.blogId, blogId),
        lt(blobs.id, window.before),
        gt(blobs.id, window.after),
        after ? or(lt(blobs.id, after.blobId), lt(attachments.id, after.attachmentId)) : undefined,
        eq(blobs.mediaType, "image" satisfies StoredBlob["mediaType"]),
        eq(blobs.caption, ""),
        isNull(posts.deletedAt),
        IS_NOT_DESCRIBED,
      ),
    )
    .orderBy(desc(blobs.id), desc(attachments.id))
    .limit(MOST_COUNTED + 1)
    .all();
  return { missing, older: window.after > 0 ? window.after + 1 : null };
}
