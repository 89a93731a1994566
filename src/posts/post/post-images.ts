import type { StoredBlob } from "../../media/files/blobs";
import type { Attachment, PostRow } from "./post";

type PostWithPictures = Pick<PostRow, "previewImage"> & { attachments: Attachment[] };

/** Value instead of a filename: the post has no preview image. */
export const NO_PREVIEW_IMAGE = "none";

/** Returns the chosen preview image, or the first image. */
export function previewImage(post: PostWithPictures): StoredBlob | undefined {
  if (post.previewImage === NO_PREVIEW_IMAGE) return undefined;
  const pictures = post.attachments.map(({ blob }) => blob).filter(({ mediaType }) => mediaType === "image");
  return pictures.find(({ filename }) => filename === post.previewImage) ?? pictures[0];
}

/** Returns the post's alt text, even if empty, or else the upload's caption. */
export function altTextOf(
  blob: { filename: string; caption: string },
  altText: Record<string, string>,
): string {
  return Object.hasOwn(altText, blob.filename) ? (altText[blob.filename] as string) : blob.caption;
}
