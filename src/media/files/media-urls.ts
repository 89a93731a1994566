import type { StoredBlob } from "./blobs";
import { isRendition, renditionWidths } from "./rendition-sizes";

export function mediaPath(blob: Pick<StoredBlob, "folder" | "filename">): string {
  return `/media/${blob.folder}/${encodeURIComponent(blob.filename)}`;
}

export function thumbnailPath(blob: Pick<StoredBlob, "folder">): string {
  return `/media/${blob.folder}/sizes/thumb.webp`;
}

export function renditionPath(blob: Pick<StoredBlob, "folder">, width: number): string {
  return `/media/${blob.folder}/sizes/${width}.webp`;
}

export function posterPath(blob: Pick<StoredBlob, "folder" | "hasPoster">): string | null {
  return blob.hasPoster ? `/media/${blob.folder}/poster.webp` : null;
}

export function srcset(blob: StoredBlob, base = ""): string | null {
  const sizes = renditionWidths(blob);
  if (sizes.length === 0) return null;
  const smaller = sizes.map((width) => `${base}${renditionPath(blob, width)} ${width}w`);
  return [...smaller, `${base}${mediaPath(blob)} ${blob.width}w`].join(", ");
}

/**
 * If the new file has no such rendition, returns the file's own path; for a poster, the thumbnail's.
 * @param names path in the old folder, such as ["cat.jpg"] or ["sizes", "480.webp"]
 */
export function pathAfterReplacement(blob: StoredBlob, names: string[]): string {
  const [name, size = ""] = names;
  if (name === "poster.webp") return posterPath(blob) ?? thumbnailPath(blob);
  return name === "sizes" && isRendition(blob, size)
    ? `/media/${blob.folder}/sizes/${size}`
    : mediaPath(blob);
}

export type OldLocation = Pick<StoredBlob, "folder" | "filename">;

export function replaceMediaUrls(text: string, former: OldLocation, blob: StoredBlob): string {
  if (!text.includes(`/media/${former.folder}/`)) return text;
  const spellings = [encodeURIComponent(former.filename), former.filename];
  const names = [...spellings, ...spellings.map(Bun.escapeHTML)].map(RegExp.escape);
  const address = new RegExp(
    `/media/${former.folder}/(sizes/[\\w-]+\\.webp|poster\\.webp|${names.join("|")})`,
    "g",
  );
  return text.replace(address, (_, below: string) => pathAfterReplacement(blob, below.split("/")));
}
