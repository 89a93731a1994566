import { conflict } from "../../errors";
import type { StoredBlob } from "../../media/files/blobs";
import { altTextIn } from "../../posts/library/file-uses";
import { findPost } from "../../posts/reading/finding-posts";
import { type Saved, savePost } from "../../posts/writing/saving";
import type { BlogVisit } from "../layout/visit";

interface AltTextChange {
  postId: number;
  /** "" if the picture is decorative; null removes the alt text. */
  alt: string | null;
  /** The alt text when the form was loaded. */
  was: string | null;
}

/** Changes one alt text of a post. @throws Refusal: missing, forbidden, conflict, invalid, busy */
export function saveAltText(
  visit: BlogVisit,
  { filename }: Pick<StoredBlob, "filename">,
  { postId, alt, was }: AltTextChange,
): Promise<Saved> {
  const { platen } = visit.call;
  const request = () => {
    const before = findPost(platen, visit, postId, visit.blog.id);
    if (oneLine(altTextIn(before, filename)) !== oneLine(was))
      throw conflict("Someone else changed this alt text. Go back and reload to see it.");
    const { [filename]: _, ...others } = before.altText;
    const altText = alt === null ? others : { ...others, [filename]: alt };
    return { blog: before.blog, before, changes: { altText } };
  };
  return savePost(platen, visit, request, (save) => save());
}

export function oneLine<Text extends string | null>(text: Text): Text {
  return (text === null ? null : text.replace(/\s+/g, " ").trim()) as Text;
}
