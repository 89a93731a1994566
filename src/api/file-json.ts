/** Uploaded files as clients are shown them. */
import { t } from "elysia";
import { attachmentSnippet } from "../media/attachment-element";
import type { StoredBlob } from "../media/files/blobs";
import { mediaPath, thumbnailPath } from "../media/media-urls";
import type { Platen } from "../platen";
import { altOf } from "../posts/post/alt-text";
import type { Attachment } from "../posts/post/post";

export const attachmentShape = t.Object({
  id: t.Integer(),
  blob_id: t.Integer(),
  filename: t.String(),
  content_type: t.String(),
  byte_size: t.Integer(),
  media_type: t.String({ description: "image or video" }),
  url: t.String(),
  thumbnail: t.String(),
  alt: t.String({ description: "The rendered alt text" }),
});

export function presentAttachment(platen: Platen, { id, blob }: Attachment, altText: Record<string, string>) {
  return { id, ...presentFile(platen, blob), alt: altOf(blob, altText) };
}

export const uploadShape = t.Object({
  attachment: t.Object({
    html: t.String({ description: "Put this into a post's HTML content" }),
    filename: t.String({ description: "Unique in the blog; the key of alt_text" }),
    media_type: t.String(),
    blob_id: t.Integer(),
    content_type: t.String(),
    byte_size: t.Integer(),
    width: t.Nullable(t.Integer()),
    height: t.Nullable(t.Integer()),
    caption: t.String(),
    url: t.String(),
    thumbnail: t.String(),
  }),
});

/** interface.md Upload result, and the file's addresses. */
export function presentUpload(platen: Platen, blob: StoredBlob) {
  return {
    html: attachmentSnippet(platen, blob),
    ...presentFile(platen, blob),
    width: blob.width,
    height: blob.height,
    caption: blob.caption,
  };
}

function presentFile({ config }: Platen, blob: StoredBlob) {
  return {
    blob_id: blob.id,
    filename: blob.filename,
    content_type: blob.contentType,
    byte_size: blob.byteSize,
    media_type: blob.mediaType,
    url: config.url + mediaPath(blob),
    thumbnail: config.url + thumbnailPath(blob),
  };
}
