import { Type } from "@sinclair/typebox";
import { type Static, t } from "elysia";
import type { Blog } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { attachmentSnippet } from "../../media/attachment-element";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath, thumbnailPath } from "../../media/files/media-urls";
import type { Platen } from "../../platen";
import { postsUsing } from "../../posts/media-library/library-list";
import { type Attachment, altTextOf } from "../../posts/post/post";
import { instant, nullable, oneOf } from "./shapes";

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

export function presentAttachment(
  platen: Platen,
  { id, blob }: Attachment,
  altText: Record<string, string>,
): Static<typeof attachmentShape> {
  return { id, ...presentFile(platen, blob), alt: altTextOf(blob, altText) };
}

const uploadedFile = t.Object({
  html: t.String({ description: "HTML to embed the file in a post" }),
  ...fileFields,
  width: nullable(Type.Integer()),
  height: nullable(Type.Integer()),
  caption: t.String(),
});

export const uploadShape = t.Object({ attachment: uploadedFile });

export function presentUpload(platen: Platen, blob: StoredBlob): Static<typeof uploadedFile> {
  return {
    html: attachmentSnippet(platen, blob),
    ...presentFile(platen, blob),
    width: blob.width,
    height: blob.height,
    caption: blob.caption,
  };
}

export const listedFileShape = t.Object({
  ...uploadedFile.properties,
  created_at: instant(),
  used_by: t.Array(
    t.Object({
      id: Type.Integer(),
      title: t.String(),
      status: oneOf(["published", "draft", "archived"]),
      type: oneOf(["post", "page"]),
      url: t.String(),
    }),
    { description: "Posts that use the file" },
  ),
});

export function presentFiles(
  platen: Platen,
  blog: Blog,
  files: StoredBlob[],
): Static<typeof listedFileShape>[] {
  const uses = postsUsing(platen, files);
  return files.map((blob) => ({
    ...presentUpload(platen, blob),
    created_at: blob.createdAt.toISOString(),
    used_by: (uses.get(blob.id) ?? [])
      .filter(({ deletedAt }) => deletedAt === null)
      .map(({ id, title, status, type, slug }) => ({
        ...{ id, title, status, type },
        url: postUrl(platen, blog, { slug }),
      })),
  }));
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
