import { conflict } from "../../errors";
import type { StoredBlob } from "../../media/files/blobs";
import { altTextIn } from "../../posts/library/file-uses";
import { findPost } from "../../posts/reading/finding-posts";
import { type Saved, savePost } from "../../posts/writing/saving";
import type { BlogVisit } from "../layout/visit";

/** What one post is to say that a picture shows. */
interface AltTextWish {
  postId: number;
  /** An empty one: it is decorative; null: nothing is said. */
  alt: string | null;
  /** What the form was loaded with. */
  was: string | null;
}

/** Changes one alt text and leaves the post's others as they are. @throws Refusal: missing, forbidden, conflict (changed meanwhile), invalid, busy */
export function saveAltText(
  visit: BlogVisit,
  { filename }: Pick<StoredBlob, "filename">,
  { postId, alt, was }: AltTextWish,
): Promise<Saved> {
  const { platen } = visit.call;
  const request = () => {
    const before = findPost(platen, visit, postId, visit.blog.id);
    if (oneLine(altTextIn(before, filename)) !== oneLine(was))
      throw conflict("Somebody has described this picture meanwhile. Go back and reload to see how.");
    const { [filename]: _, ...others } = before.altText;
    const altText = alt === null ? others : { ...others, [filename]: alt };
    return { blog: before.blog, before, changes: { altText } };
  };
  return savePost(platen, visit, request, (save) => save());
}

/** As a field of one line has it. */
export function oneLine<Text extends string | null>(text: Text): Text {
  return (text === null ? null : text.replace(/\s+/g, " ").trim()) as Text;
}
