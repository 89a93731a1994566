import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import type { Blog } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { attachmentSnippet } from "../../media/attachment-element";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath, thumbnailPath } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import { postsUsing } from "../../posts/media-library/listing-and-alt-texts";
import { type Attachment, altTextOf } from "../../posts/post/post";
import { instant, nullable, oneOf, presenterOf } from "./shapes";

const fileFields = {
  blob_id: Type.Integer({ description: "The file; the same in all posts and in GET /attachments" }),
  filename: t.String({ description: "Unique in the blog; key in alt_text" }),
  content_type: t.String(),
  byte_size: Type.Integer(),
  media_type: oneOf(["image", "video"]),
  url: t.String(),
  thumbnail: t.String(),
};

export const attachmentShape = t.Object({
  id: Type.Integer({ description: "The use of the file in this post" }),
  ...fileFields,
  alt: t.String({ description: "The rendered alt text" }),
});

const presentAttachmentFields = presenterOf(attachmentShape);

export function presentAttachment(platen: Platen, { id, blob }: Attachment, altText: Record<string, string>) {
  return presentAttachmentFields({ ...withUrls(platen, blob), id, alt: altTextOf(blob, altText) });
}

const uploadedFile = t.Object({
  html: t.String({ description: "HTML to embed the file in a post" }),
  ...fileFields,
  width: nullable(Type.Integer()),
  height: nullable(Type.Integer()),
  caption: t.String(),
});

export const uploadShape = t.Object({ attachment: uploadedFile });

const presentUploadFields = presenterOf(uploadedFile);

export function presentUpload(platen: Platen, blob: StoredBlob): Static<typeof uploadedFile> {
  return presentUploadFields({ ...withUrls(platen, blob), html: attachmentSnippet(platen, blob) });
}

const useShape = t.Object({
  id: Type.Integer(),
  title: t.String(),
  status: oneOf(["published", "draft", "archived"]),
  type: oneOf(["post", "page"]),
  url: t.String(),
});

export const listedFileShape = t.Object({
  ...uploadedFile.properties,
  created_at: instant(),
  used_by: t.Array(useShape, { description: "Posts that use the file" }),
});

const presentUse = presenterOf(useShape);

export function presentFiles(platen: Platen, blog: Blog, files: StoredBlob[]) {
  const uses = postsUsing(platen, files);
  return files.map((blob) => ({
    ...presentUpload(platen, blob),
    created_at: blob.createdAt.toISOString(),
    used_by: (uses.get(blob.id) ?? [])
      .filter(({ deletedAt }) => deletedAt === null)
      .map((post) => presentUse({ ...post, url: postUrl(platen, blog, post) })),
  }));
}

function withUrls({ config }: Platen, blob: StoredBlob) {
  return {
    ...blob,
    blobId: blob.id,
    url: config.url + mediaPath(blob),
    thumbnail: config.url + thumbnailPath(blob),
  };
}
