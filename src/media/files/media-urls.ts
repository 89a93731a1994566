import type { StoredBlob } from "./blobs";
import { isRendition, renditionWidths } from "./rendition-sizes";

/** Returns the URL path of a file, percent-encoded and starting with "/media/". It matches the path on disk. */
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

export function posterPath(blob: Pick<StoredBlob, "folder" | "hasPoster">): string | null {
  return blob.hasPoster ? `/media/${blob.folder}/poster.webp` : null;
}

/** Returns the `srcset` of an image, with the file itself as the widest; null if there is only one size. */
export function srcset(blob: StoredBlob, base = ""): string | null {
  const sizes = renditionWidths(blob);
  if (sizes.length === 0) return null;
  const smaller = sizes.map((width) => `${base}${renditionPath(blob, width)} ${width}w`);
  return [...smaller, `${base}${mediaPath(blob)} ${blob.width}w`].join(", ");
}

/**
 * Converts an old path of a replaced file to its current path. Falls back to the file's own path if the new file lacks
 * the rendition.
 * @param names path in the folder: ["cat.jpg"], ["sizes", "480.webp"]
 */
export function pathAfterReplacement(blob: StoredBlob, names: string[]): string {
  const [name, size = ""] = names;
  if (name === "poster.webp") return posterPath(blob) ?? thumbnailPath(blob);
  return name === "sizes" && isRendition(blob, size)
    ? `/media/${blob.folder}/sizes/${size}`
    : mediaPath(blob);
}

export type OldLocation = Pick<StoredBlob, "folder" | "filename">;

/** Updates all URLs of a replaced file in text, HTML or JSON. */
export function replaceMediaUrls(text: string, former: OldLocation, blob: StoredBlob): string {
  if (!text.includes(`/media/${former.folder}/`)) return text;
  const spellings = [encodeURIComponent(former.filename), former.filename];
  const names = [...spellings, ...spellings.map(Bun.escapeHTML)].map(RegExp.escape);
  const address = new RegExp(`/media/${former.folder}/(sizes/[\\w.]+|poster\\.webp|${names.join("|")})`, "g");
  return text.replace(address, (_, below: string) => pathAfterReplacement(blob, below.split("/")));
}
