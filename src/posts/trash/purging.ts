import { inArray } from "drizzle-orm";
import { posts } from "../../database/schema";
import { Refusal } from "../../errors";
import { deleteBlob } from "../../media/deletion";
import type { Platen } from "../../platen";
import { attachmentsOf, isBlobUsed } from "../parts/post-attachments";
import { outlivedPosts } from "./deleted-posts";

/** Posts that go at one time: to ask whether anything else shows a file reads every post. */
const AT_ONCE = 20;

/** Removes the deleted posts that nobody brought back in time, with all that belongs to them and the files that only they showed. */
export function purgeDeletedPosts(platen: Platen): void {
  const outlived = outlivedPosts(platen, AT_ONCE);
  if (outlived.length === 0) return;
  const ids = outlived.map(({ id }) => id);
  const shown = [...attachmentsOf(platen, ids).values()].flat().map(({ blob }) => blob);
  removePosts(platen, ids);
  for (const blob of new Map(shown.map((one) => [one.id, one])).values())
    deleteBlob(platen, blob, () => isBlobUsed(platen, blob)).catch((fault) => {
      if (!(fault instanceof Refusal)) platen.log(`A file of a deleted post could not be removed: ${fault}`);
    });
}

/** For good, with all that belongs to them but their files. Posts that readers may know are deleted first: see `deletePost`. */
export function removePosts(platen: Platen, ids: number[]): void {
  platen.db.delete(posts).where(inArray(posts.id, ids)).run();
}
