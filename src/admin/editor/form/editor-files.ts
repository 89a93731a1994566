import type { Blog } from "../../../blogs/blogs";
import { attachmentSnippet, blobIdInSgid, sgidOf } from "../../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import { mediaPath, posterPath, srcset, thumbnailPath } from "../../../media/files/media-urls";
import { makeThumbnailLater } from "../../../media/images/renditions";
import { discardUpload, storeUpload } from "../../../media/uploads";
import type { Platen } from "../../../platen";
import { sgidsIn } from "../../../posts/media-library/file-mentions";
import type { SentPost } from "./post-form";

/** Must match `StoredFile` in src/admin/editor/browser/uploads/upload-queue.ts. */
export function fileJson(platen: Platen, blob: StoredBlob) {
  return {
    sgid: sgidOf(platen, blob),
    filename: blob.filename,
    contentType: blob.contentType,
    mediaType: blob.mediaType,
    url: mediaPath(blob),
    thumbnail: posterPath(blob) ?? thumbnailPath(blob),
    srcset: srcset(blob) ?? "",
    width: blob.width,
    height: blob.height,
    caption: blob.caption,
    page: `/media/${blob.id}`,
    focus: blob.focus,
  };
}

export function filesIn(platen: Platen, blog: Blog, content: string): StoredBlob[] {
  return filesWith(platen, blog, sgidsIn(content));
}

export function filesWith(platen: Platen, blog: Blog, sgids: string[]): StoredBlob[] {
  const ids = [...new Set(sgids)].map((sgid) => blobIdInSgid(platen, blog.id, sgid));
  const found = ids.map((id) => (id === null ? null : blobWithId(platen, id)));
  return found.filter((blob) => blob !== null && blob !== undefined);
}

/** Appends the files to the content. */
export async function storeFiles(platen: Platen, blog: Blog, sent: SentPost): Promise<SentPost> {
  let { content } = sent.fields;
  const files = [...sent.files];
  try {
    for (let file = files.shift(); file; file = files.shift()) {
      const blob = await storeUpload(platen, blog, file);
      makeThumbnailLater(platen, blob);
      content += `${content.trim() ? "\n\n" : ""}${attachmentSnippet(platen, blob)}`;
    }
  } finally {
    for (const file of files) await discardUpload(file);
  }
  return { ...sent, fields: { ...sent.fields, content }, files: [] };
}
