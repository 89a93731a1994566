import type { Blog } from "../../blogs/blogs";
import { attachmentSnippet, blobIdInSgid, sgidOf } from "../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../media/files/blobs";
import { mediaPath, posterPath, srcset, thumbnailPath } from "../../media/files/media-urls";
import { makeThumbnailLater } from "../../media/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { sgidsIn } from "../../posts/media-library/file-mentions";
import { type FormFields, readAdminFiles, type Visit } from "../layout/visit";

/** Must match `StoredFile` in src/admin/editor/browser/uploads.ts. */
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

/** Reads a form with files. The caller must store or discard the files. */
export function readUploads(visit: Visit): Promise<{ fields: FormFields; files: ReceivedFile[] }> {
  const receive = (stream: AsyncIterable<Uint8Array>, filename: string) =>
    receiveUpload(visit.call.platen, stream, filename);
  return readAdminFiles(visit, receive, discardUpload);
}

export async function discardFiles(files: ReceivedFile[]): Promise<void> {
  for (const file of files) await discardUpload(file);
}

/** Stores the files, and removes them from the list. @returns the content with the files appended */
export async function appendFiles(platen: Platen, blog: Blog, content: string, files: ReceivedFile[]) {
  let appended = content;
  for (let file = files.shift(); file; file = files.shift()) {
    const blob = await storeUpload(platen, blog, file);
    makeThumbnailLater(platen, blob);
    appended += `${appended.trim() ? "\n\n" : ""}${attachmentSnippet(platen, blob)}`;
  }
  return appended;
}

const TYPES = {
  image: "image/jpeg,image/png,image/gif,image/webp,image/avif,image/heic,image/heif",
  video: "video/mp4,video/quicktime,video/webm",
};
export const ACCEPTED_TYPES = `${TYPES.image},${TYPES.video}`;

export const acceptedTypes = (mediaType: keyof typeof TYPES) => TYPES[mediaType];
