import { conflict } from "../../errors";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { deleteByMentions, mentionsOf } from "../../posts/library/deleting-unused";
import type { Mention, Mentions } from "../../posts/library/file-mentions";
import { usingPosts } from "../../posts/library/file-uses";
import { libraryPage } from "../../posts/library/media-library";
import { DAY } from "../../units";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";

/** Files that are deleted at one time, at most. */
const AT_ONCE = 200;

/** @throws Refusal (conflict) that says what uses it */
export async function deleteFile({ call }: BlogVisit, file: StoredBlob): Promise<void> {
  const { platen } = call;
  const demandUnused = (mentions: Mentions) => {
    const [use] = usesInWords(platen, file, mentions);
    if (use)
      throw conflict(`${file.filename} is not deleted: it is used by ${use}. Take it out there first.`);
  };
  demandUnused(new Map());
  await deleteByMentions(platen, [file], (mentions) => {
    demandUnused(mentions);
    return [file];
  });
}

function usesInWords(platen: Platen, file: StoredBlob, mentions: Mentions): string[] {
  const posts = usingPosts(platen, [file]).get(file.id) ?? [];
  if (posts.length > 0)
    return posts.map((post) => `“${postName(post)}”${post.deletedAt ? ", which is in the trash" : ""}`);
  return (mentions.get(file.id) ?? []).map(mentionWords);
}

export function mentionWords({ kind, title }: Mention): string {
  if (kind === "post") return `the text of “${title || "Untitled"}”, which has its address`;
  if (kind === "revision") return `an older version of “${title || "Untitled"}”`;
  if (kind === "unsaved") return `“${title || "Untitled"}”, as it is being written`;
  return `the ${kind} of “${title}”`;
}

/** Files of the blog that nothing uses. Those of the last day are left out: a text that is not saved yet may show them. */
export async function unusedFiles({ call, blog }: BlogVisit, before: number | null) {
  const { platen } = call;
  const wish = { part: "unused", named: "", before: before ?? undefined, limit: AT_ONCE } as const;
  const { files, next } = libraryPage(platen, blog.id, wish);
  const old = inNoPost(platen, files);
  const mentions = await mentionsOf(platen, old);
  return { files: old.filter(({ id }) => !mentions.has(id)), next };
}

/** @returns those that are gone; what is used by now stays */
export async function deleteUnused({ call, blog }: BlogVisit, ids: number[]): Promise<StoredBlob[]> {
  const { platen } = call;
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
