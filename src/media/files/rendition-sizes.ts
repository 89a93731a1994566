import type { StoredBlob } from "./blobs";

export const THUMBNAIL_BOX = 400;
const WIDTHS = [480, 960, 1440, 1920];
const MAX_WEBP_SIDE = 16_383;

export const THUMBNAIL = "thumb.webp";

export type RenditionSource = Pick<StoredBlob, "folder" | "mediaType" | "isAnimated" | "width" | "height">;

/** In pixels, ascending. Animations and videos have none. */
export function renditionWidths(blob: RenditionSource): number[] {
  const { mediaType, isAnimated, width, height } = blob;
  if (mediaType !== "image" || isAnimated || width === null || height === null) return [];
  return WIDTHS.filter((size) => size < width && Math.round((height * size) / width) <= MAX_WEBP_SIDE);
}

export function renditionNames(blob: RenditionSource): string[] {
  return [THUMBNAIL, ...renditionWidths(blob).map((width) => `${width}.webp`)];
}

export function isRendition(blob: StoredBlob, name: string): boolean {
  return renditionNames(blob).includes(name) || cropNamed(blob, name) !== undefined;
}

export const PREVIEW_SIZE = { width: 1200, height: 630 };
export const CROP_RATIOS = ["1:1", "4:3", "16:9", "4:5"];
const MAX_CROP_WIDTH = 1920;
/** Maximum size of the scaled picture that a crop is cut from. Limits the memory for panoramas. */
const MAX_SCALED_PIXELS = 16_000_000;

type CropSource = RenditionSource & Pick<StoredBlob, "focus">;

type Crop = ReturnType<typeof cropTo>;

export function previewCrop(blob: CropSource): Crop | null {
  const { width, height } = PREVIEW_SIZE;
  if (blob.focus === "" || !blob.width || !blob.height) return null;
  if (renditionWidths(blob).length === 0 || blob.width < width || blob.height < height) return null;
  return cropTo(blob, PREVIEW_SIZE, String(width));
}

export function largestCrop(blob: RenditionSource, ratio: string): { width: number; height: number } {
  const [x = 1, y = 1] = ratio.split(":").map(Number);
  const width = Math.min(blob.width ?? 0, Math.round(((blob.height ?? 0) * x) / y));
  return { width, height: Math.round((width * y) / x) };
}

export function cropsWithRatio(blob: CropSource, ratio: string): Crop[] {
  if (blob.mediaType !== "image" || blob.isAnimated || !blob.width || !blob.height) return [];
  const largest = largestCrop(blob, ratio);
  const widths = [...WIDTHS.filter((width) => width < largest.width), largest.width];
  const pixelsAt = (width: number) => (blob.width ?? 0) * (blob.height ?? 0) * (width / largest.width) ** 2;
  return widths
    .filter((width) => width <= MAX_CROP_WIDTH && pixelsAt(width) <= MAX_SCALED_PIXELS)
    .map((width) => {
      const height = Math.round((width * largest.height) / largest.width);
      return cropTo(blob, { width, height }, `${width}-${ratio.replace(":", "x")}`);
    });
}

export function cropsOf(blob: CropSource): Crop[] {
  const preview = previewCrop(blob);
  return [...(preview ? [preview] : []), ...CROP_RATIOS.flatMap((ratio) => cropsWithRatio(blob, ratio))];
}

export function cropNamed(blob: CropSource, name: string): Crop | undefined {
  return cropsOf(blob).find((crop) => crop.name === name);
}

export function focusOf({ focus }: Pick<StoredBlob, "focus">): { x: number; y: number } {
  const [x = 50, y = 50] = focus.match(/\d+/g)?.map(Number) ?? [];
  return { x, y };
}

function cropTo(blob: CropSource, { width, height }: { width: number; height: number }, start: string) {
  const [fullWidth, fullHeight] = [blob.width ?? 1, blob.height ?? 1];
  const { x, y } = focusOf(blob);
  const scaledWidth = Math.max(width, Math.ceil((height * fullWidth) / fullHeight));
  const scaledHeight = Math.round((fullHeight * scaledWidth) / fullWidth);
  const name = `${start}-${x}-${y}.webp`;
  return {
    ...{ name, path: `/media/${blob.folder}/sizes/${name}`, width, height, scaledWidth },
    left: Math.round(((scaledWidth - width) * x) / 100),
    top: Math.round(((scaledHeight - height) * y) / 100),
  };
}

export function widthFromName(name: string): number | null {
  return name === THUMBNAIL ? null : Number.parseInt(name, 10);
}
