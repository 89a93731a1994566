import type { StoredBlob } from "./files/blobs";
import { isRendition } from "./files/thumbnail-and-rendition-widths";
import { mediaPath, posterPath, thumbnailPath } from "./media-urls";

/**
 * What was at an address in the folder of a file that another has taken the place of: of that one the same, or the whole
 * of it where it has no such size.
 * @param names the path below the folder: ["cat.jpg"], ["sizes", "480.webp"]
 */
export function pathInstead(blob: StoredBlob, names: string[]): string {
  const [name, size = ""] = names;
  if (name === "poster.webp") return posterPath(blob) ?? thumbnailPath(blob);
  return name === "sizes" && isRendition(blob, size)
    ? `/media/${blob.folder}/sizes/${size}`
    : mediaPath(blob);
}

/** Where a file was. */
export type FormerPlace = Pick<StoredBlob, "folder" | "filename">;

/** The text, HTML or JSON with every address of the former file exchanged for what is there instead. */
export function withAddressesInstead(text: string, former: FormerPlace, blob: StoredBlob): string {
  if (!text.includes(`/media/${former.folder}/`)) return text;
  const spellings = [encodeURIComponent(former.filename), former.filename];
  const names = [...spellings, ...spellings.map(Bun.escapeHTML)].map(RegExp.escape);
  const address = new RegExp(`/media/${former.folder}/(sizes/[\\w.]+|poster\\.webp|${names.join("|")})`, "g");
  return text.replace(address, (_, below: string) => pathInstead(blob, below.split("/")));
}
