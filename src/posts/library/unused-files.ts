import type { Blog } from "../../blogs/blogs";
import { DAY } from "../../config/units";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { deleteByMentions, mentionsOf } from "./deleting-by-mentions";
import { usingPosts } from "./file-uses";
import { libraryPage } from "./library-in-order";

/** Files that are shown, and that are deleted, at one time, at most. */
const AT_ONCE = 200;

/** Files of the blog that nothing uses. Those of the last day are left out: a text that is not saved yet may show them. */
export async function unusedFiles(platen: Platen, blog: Pick<Blog, "id">, before: number | null) {
  const wish = { part: "unused", named: "", before: before ?? undefined, limit: AT_ONCE } as const;
  const { files, next } = libraryPage(platen, blog.id, wish);
  const old = inNoPost(platen, files);
  const mentions = await mentionsOf(platen, old);
  return { files: old.filter(({ id }) => !mentions.has(id)), next };
}

/** @returns those that are gone; what is used by now stays */
export async function deleteUnusedOf(
  platen: Platen,
  blog: Pick<Blog, "id">,
  ids: number[],
): Promise<StoredBlob[]> {
  const wished = () => {
    const files = ids.slice(0, AT_ONCE).map((id) => blobWithId(platen, id));
    const ofBlog = files.filter((file) => file !== undefined).filter(({ blogId }) => blogId === blog.id);
    return inNoPost(platen, ofBlog);
  };
  return await deleteByMentions(platen, wished(), (mentions) =>
    wished().filter(({ id }) => !mentions.has(id)),
  );
}

function inNoPost(platen: Platen, files: StoredBlob[]): StoredBlob[] {
  const begunBefore = platen.now().getTime() - DAY;
  const old = files.filter(({ createdAt }) => createdAt.getTime() < begunBefore);
  const uses = usingPosts(platen, old);
  return old.filter(({ id }) => !uses.has(id));
}
