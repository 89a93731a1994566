import type { StoredBlob } from "./blobs";

/** What a thumbnail fits into, in pixels: as wide and as high. */
export const THUMBNAIL_BOX = 400;
/** Widths a picture is shown in, in pixels; a picture is never made wider than it is. */
const WIDTHS = [480, 960, 1440, 1920];
/** WebP holds no side longer than this, in pixels. */
const WEBP_LONGEST = 16_383;

/** A JPEG is decoded at these parts of its width at once, in a fraction of the time. */
const JPEG_SCALES = [8, 4, 2];

export const THUMBNAIL = "thumb.webp";

/** What decides which sizes a file has. */
export type RenditionSource = Pick<StoredBlob, "folder" | "mediaType" | "isAnimated" | "width" | "height">;

/** The widths of an image's renditions besides the thumbnail, in pixels, ascending; none for animations, shown as uploaded. */
export function renditionWidths(blob: RenditionSource): number[] {
  const { mediaType, isAnimated, width, height } = blob;
  if (mediaType !== "image" || isAnimated || width === null || height === null) return [];
  return WIDTHS.filter((size) => size < width && Math.round((height * size) / width) <= WEBP_LONGEST);
}

/** As they are called below `sizes`, the thumbnail first. */
export function renditionNames(blob: RenditionSource): string[] {
  return [THUMBNAIL, ...renditionWidths(blob).map((width) => `${width}.webp`)];
}

export function isRendition(blob: RenditionSource, name: string): boolean {
  return renditionNames(blob).includes(name);
}

/** In pixels; null for the thumbnail, which fits into a box. */
export function widthFromName(name: string): number | null {
  return name === THUMBNAIL ? null : Number.parseInt(name, 10);
}

/** How wide it is, in pixels. */
export function renditionWidth({ width, height }: RenditionSource, name: string): number {
  const box = THUMBNAIL_BOX;
  return widthFromName(name) ?? Math.min(box, width ?? box, (box * (width ?? 1)) / (height ?? 1));
}

/** Which part of a JPEG's width it is decoded at to be this wide, as sharp has it: 8 for an eighth. Null for the thumbnail. */
export function jpegScale({ width }: RenditionSource, wanted: number | null): number | null {
  if (wanted === null || width === null) return null;
  return JPEG_SCALES.find((scale) => width / wanted >= scale) ?? 1;
}
