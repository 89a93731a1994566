import type { StoredBlob } from "./blobs";
import { isRendition, renditionWidths } from "./rendition-sizes";

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

/**
 * What was at an address in the folder of a file that another has taken the place of: of that one the same, or the whole
 * of it where it has no such size.
 * @param names the path below the folder: ["cat.jpg"], ["sizes", "480.webp"]
 */
export function pathAfterReplacement(blob: StoredBlob, names: string[]): string {
  const [name, size = ""] = names;
  if (name === "poster.webp") return posterPath(blob) ?? thumbnailPath(blob);
  return name === "sizes" && isRendition(blob, size)
    ? `/media/${blob.folder}/sizes/${size}`
    : mediaPath(blob);
}

/** Where a file was. */
export type OldLocation = Pick<StoredBlob, "folder" | "filename">;

/** The text, HTML or JSON with every address of the former file exchanged for what is there instead. */
export function replaceMediaUrls(text: string, former: OldLocation, blob: StoredBlob): string {
  if (!text.includes(`/media/${former.folder}/`)) return text;
  const spellings = [encodeURIComponent(former.filename), former.filename];
  const names = [...spellings, ...spellings.map(Bun.escapeHTML)].map(RegExp.escape);
  const address = new RegExp(`/media/${former.folder}/(sizes/[\\w.]+|poster\\.webp|${names.join("|")})`, "g");
  return text.replace(address, (_, below: string) => pathAfterReplacement(blob, below.split("/")));
}
