import type { StoredBlob } from "./blobs";

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
 * Converts an old path of a replaced file to its current path. If the rendition is missing, returns the path of the
 * whole file.
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

/** Maximum width and height of a thumbnail in pixels. */
export const THUMBNAIL_BOX = 400;
const WIDTHS = [480, 960, 1440, 1920];
/** Maximum side length of a WebP in pixels. */
const WEBP_LONGEST = 16_383;

/** Divisors of a JPEG's width at which it decodes much faster. */
const JPEG_SCALES = [8, 4, 2];

export const THUMBNAIL = "thumb.webp";

export type RenditionSource = Pick<StoredBlob, "folder" | "mediaType" | "isAnimated" | "width" | "height">;

/** Returns the widths of renditions in pixels, ascending, without the thumbnail. Animations have none. */
export function renditionWidths(blob: RenditionSource): number[] {
  const { mediaType, isAnimated, width, height } = blob;
  if (mediaType !== "image" || isAnimated || width === null || height === null) return [];
  return WIDTHS.filter((size) => size < width && Math.round((height * size) / width) <= WEBP_LONGEST);
}

/** Returns the file names of renditions in `sizes`, the thumbnail first. */
export function renditionNames(blob: RenditionSource): string[] {
  return [THUMBNAIL, ...renditionWidths(blob).map((width) => `${width}.webp`)];
}

export function isRendition(blob: StoredBlob, name: string): boolean {
  return renditionNames(blob).includes(name) || name === previewCrop(blob)?.name;
}

/** Usual size of link previews, in pixels. */
export const PREVIEW_SIZE = { width: 1200, height: 630 };

/** A cropped rendition for link previews. `scaled` is the width of the whole picture before cropping. */
export interface PreviewCrop {
  name: string;
  path: string;
  scaled: number;
  left: number;
  top: number;
}

/** The picture cropped around its focal point; null if it has none or is smaller than a preview. */
export function previewCrop(blob: StoredBlob): PreviewCrop | null {
  const { width, height } = PREVIEW_SIZE;
  const [x, y] = blob.focus.match(/\d+/g)?.map(Number) ?? [];
  if (x === undefined || y === undefined || !blob.width || !blob.height) return null;
  if (renditionWidths(blob).length === 0 || blob.width < width || blob.height < height) return null;
  const scaled = Math.max(width, Math.ceil((height * blob.width) / blob.height));
  const scaledHeight = Math.round((blob.height * scaled) / blob.width);
  const left = Math.round(((scaled - width) * x) / 100);
  const top = Math.round(((scaledHeight - height) * y) / 100);
  const name = `${width}-${x}-${y}.webp`;
  return { name, path: `/media/${blob.folder}/sizes/${name}`, scaled, left, top };
}

/** @returns width in pixels; null for the thumbnail */
export function widthFromName(name: string): number | null {
  return name === THUMBNAIL ? null : Number.parseInt(name, 10);
}

export function renditionWidth({ width, height }: RenditionSource, name: string): number {
  const box = THUMBNAIL_BOX;
  return widthFromName(name) ?? Math.min(box, width ?? box, (box * (width ?? 1)) / (height ?? 1));
}

/** Returns the divisor of a JPEG's width at which sharp decodes it, such as 8; null for the thumbnail. */
export function jpegScale({ width }: RenditionSource, wanted: number | null): number | null {
  if (wanted === null || width === null) return null;
  return JPEG_SCALES.find((scale) => width / wanted >= scale) ?? 1;
}
