import type { StoredBlob } from "../../media/files/blobs";
import type { Attachment } from "./post";

/** The picture that stands for a post where only one is shown: its first. */
export function previewImage(post: { attachments: Attachment[] }): StoredBlob | undefined {
  return post.attachments.find(({ blob }) => blob.mediaType === "image")?.blob;
}
