import type { StoredBlob } from "./blobs";

/** Maximum width and height of a thumbnail in pixels. */
export const THUMBNAIL_BOX = 400;
const WIDTHS = [480, 960, 1440, 1920];
/** Maximum side length of a WebP in pixels. */
const MAX_WEBP_SIDE = 16_383;

/** Divisors of a JPEG's width at which it decodes much faster. */
const JPEG_SCALES = [8, 4, 2];

export const THUMBNAIL = "thumb.webp";

export type RenditionSource = Pick<StoredBlob, "folder" | "mediaType" | "isAnimated" | "width" | "height">;

/** Returns the widths of renditions in pixels, ascending, without the thumbnail. Animations have none. */
export function renditionWidths(blob: RenditionSource): number[] {
  const { mediaType, isAnimated, width, height } = blob;
  if (mediaType !== "image" || isAnimated || width === null || height === null) return [];
  return WIDTHS.filter((size) => size < width && Math.round((height * size) / width) <= MAX_WEBP_SIDE);
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

/** A cropped rendition for link previews. The picture is scaled to `scaledWidth` first. */
interface PreviewCrop {
  name: string;
  path: string;
  scaledWidth: number;
  left: number;
  top: number;
}

/** The picture cropped around its focal point; null if it has none or is smaller than a preview. */
export function previewCrop(blob: StoredBlob): PreviewCrop | null {
  const { width, height } = PREVIEW_SIZE;
  const [x, y] = blob.focus.match(/\d+/g)?.map(Number) ?? [];
  if (x === undefined || y === undefined || !blob.width || !blob.height) return null;
  if (renditionWidths(blob).length === 0 || blob.width < width || blob.height < height) return null;
  const scaledWidth = Math.max(width, Math.ceil((height * blob.width) / blob.height));
  const scaledHeight = Math.round((blob.height * scaledWidth) / blob.width);
  const left = Math.round(((scaledWidth - width) * x) / 100);
  const top = Math.round(((scaledHeight - height) * y) / 100);
  const name = `${width}-${x}-${y}.webp`;
  return { name, path: `/media/${blob.folder}/sizes/${name}`, scaledWidth, left, top };
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
export function jpegScale({ width }: RenditionSource, targetWidth: number | null): number | null {
  if (targetWidth === null || width === null) return null;
  return JPEG_SCALES.find((scale) => width / targetWidth >= scale) ?? 1;
}
