import { existsSync } from "node:fs";
import type { Platen } from "../../platen";
import type { StoredBlob } from "../files/blobs";
import { mediaFolder } from "../files/media-folder";
import { mediaPath, posterPath } from "../files/media-urls";
import { renditionNames, renditionWidth, THUMBNAIL_BOX } from "../files/rendition-sizes";

/**
 * Returns the path of the nearest existing size, or of the file, if a rendition cannot be made.
 * @returns null if nothing is available
 */
export function nearestRenditionPath(
  platen: Platen,
  blob: StoredBlob,
  name: string,
  { isStoreAway }: { isStoreAway: boolean },
): string | null {
  const isHere = (...below: string[]) => existsSync(mediaFolder(platen, blob.folder, ...below));
  const sizes = renditionNames(blob)
    .filter((size) => isHere("sizes", size))
    .map((size) => ({ path: `/media/${blob.folder}/sizes/${size}`, width: renditionWidth(blob, size) }));
  const whole = wholePicture(blob);
  const isWholeToBeHad = whole && (isHere(whole.file) || (blob.atStore !== null && !isStoreAway));
  const wanted = renditionWidth(blob, name);
  const times = ({ width }: { width: number }) => Math.max(width / wanted, wanted / width);
  const there = [...sizes, ...(isWholeToBeHad ? [whole] : [])];
  return there.toSorted((one, other) => times(one) - times(other))[0]?.path ?? null;
}

/** @returns null for a video without poster */
function wholePicture(blob: StoredBlob): { file: string; path: string; width: number } | null {
  const width = blob.width ?? THUMBNAIL_BOX;
  if (blob.mediaType === "image") return { file: blob.filename, path: mediaPath(blob), width };
  const path = posterPath(blob);
  return path === null ? null : { file: "poster.webp", path, width };
}
