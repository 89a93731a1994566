import type { StoredBlob } from "../../media/files/blobs";
import type { Attachment, PostRow } from "./post";

type PostWithPictures = Pick<PostRow, "previewImage"> & { attachments: Attachment[] };

/** In the place of a filename: no picture stands for the post. */
export const NO_PREVIEW_IMAGE = "none";

/** The picture that stands for a post where only one is shown: the one chosen, else its first. */
export function previewImage(post: PostWithPictures): StoredBlob | undefined {
  if (post.previewImage === NO_PREVIEW_IMAGE) return undefined;
  const pictures = post.attachments.map(({ blob }) => blob).filter(({ mediaType }) => mediaType === "image");
  return pictures.find(({ filename }) => filename === post.previewImage) ?? pictures[0];
}

/** The alt text readers are given: the post's entry, even an empty one, else the upload's caption (interface.md Alt text 4). */
export function altTextOf(
  blob: { filename: string; caption: string },
  altText: Record<string, string>,
): string {
  return Object.hasOwn(altText, blob.filename) ? (altText[blob.filename] as string) : blob.caption;
}
