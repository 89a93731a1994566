import type { StoredBlob } from "./files/blobs";
import { renditionWidths } from "./files/thumbnail-and-rendition-widths";

/**
 * All of these are paths from the base address on ("/media/…"), percent-encoded; the path below /media/ is also
 * the path on disk.
 */
export function mediaPath(blob: Pick<StoredBlob, "folder" | "filename">): string {
  return `/media/${blob.folder}/${encodeURIComponent(blob.filename)}`;
}

export function thumbnailPath(blob: Pick<StoredBlob, "folder">): string {
  return `/media/${blob.folder}/sizes/thumb.webp`;
}

/** @param width one of `renditionWidths(blob)` */
export function renditionPath(blob: Pick<StoredBlob, "folder">, width: number): string {
  return `/media/${blob.folder}/sizes/${width}.webp`;
}

/** Of a video; null where it came without one. */
export function posterPath(blob: Pick<StoredBlob, "folder" | "hasPoster">): string | null {
  return blob.hasPoster ? `/media/${blob.folder}/poster.webp` : null;
}

/**
 * The value of an image's `srcset`, the served file itself as the widest; null where there is only one size.
 * @param base what is put before each path
 */
export function srcset(blob: StoredBlob, base = ""): string | null {
  const sizes = renditionWidths(blob);
  if (sizes.length === 0) return null;
  const smaller = sizes.map((width) => `${base}${renditionPath(blob, width)} ${width}w`);
  return [...smaller, `${base}${mediaPath(blob)} ${blob.width}w`].join(", ");
}
