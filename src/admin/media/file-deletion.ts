import { conflict } from "../../errors";
import type { StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { deleteUnmentioned } from "../../posts/library/deleting-unused-files";
import type { Mention, Mentions } from "../../posts/library/file-mentions";
import { postsUsing } from "../../posts/library/file-uses";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";

/** @throws Refusal (conflict) naming what uses the file */
export async function deleteFile({ call }: BlogVisit, file: StoredBlob): Promise<void> {
  const { platen } = call;
  const assertUnused = (mentions: Mentions) => {
    const [use] = usesInWords(platen, file, mentions);
    if (use)
      throw conflict(`${file.filename} can’t be deleted: it is used by ${use}. Remove it there first.`);
  };
  assertUnused(new Map());
  await deleteUnmentioned(platen, [file], (mentions) => {
    assertUnused(mentions);
    return [file];
  });
}

function usesInWords(platen: Platen, file: StoredBlob, mentions: Mentions): string[] {
  const posts = postsUsing(platen, [file]).get(file.id) ?? [];
  if (posts.length > 0)
    return posts.map((post) => `“${postName(post)}”${post.deletedAt ? ", which is in the trash" : ""}`);
  return (mentions.get(file.id) ?? []).map(describeMention);
}

export function describeMention({ kind, title }: Mention): string {
  if (kind === "post") return `the text of “${title || "Untitled"}”, which links to it`;
  if (kind === "revision") return `an older version of “${title || "Untitled"}”`;
  if (kind === "unsaved") return `unsaved changes to “${title || "Untitled"}”`;
  return `the ${kind} of “${title}”`;
}
