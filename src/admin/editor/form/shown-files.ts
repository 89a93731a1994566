import type { Blog } from "../../../blogs/blogs";
import { blobIdInSgid, sgidOf } from "../../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import { mediaPath, posterPath, thumbnailPath } from "../../../media/media-urls";
import type { Platen } from "../../../platen";

/** What the editor knows of a file; browser/uploads/stored-files.ts is the other end. */
export function shownFile(platen: Platen, blob: StoredBlob) {
  return {
    sgid: sgidOf(platen, blob),
    filename: blob.filename,
    contentType: blob.contentType,
    mediaType: blob.mediaType,
    url: mediaPath(blob),
    thumbnail: posterPath(blob) ?? thumbnailPath(blob),
    width: blob.width,
    height: blob.height,
    caption: blob.caption,
  };
}

/** In characters; ours have under 200. */
const SGID = /[\w-]{4,60}\.[\w-]{20,100}/g;

/** The files of the blog that a content names, each once. */
export function filesIn(platen: Platen, blog: Blog, content: string): StoredBlob[] {
  const ids = [...new Set(content.match(SGID))].map((sgid) => blobIdInSgid(platen, blog.id, sgid));
  const found = ids.map((id) => (id === null ? null : blobWithId(platen, id)));
  return found.filter((blob) => blob !== null && blob !== undefined);
}
