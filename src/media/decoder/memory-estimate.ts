import type { Metadata } from "sharp";
import { MEGABYTE } from "../../config/units";

/** Bytes per pixel to shrink an image, rounded up. Measured with sharp 0.35.5, libvips 8.18, one thread. */
const BYTES_PER_PIXEL = { rows: 0.5, progressive: 3.5, whole: 6.5, avif: 18.5 };
/** Additional bytes per pixel to encode the whole image again. */
const WHOLE = { png: 6, others: 12 };
export const FIXED_BYTES = 24 * MEGABYTE;

type PictureHeader = Pick<Metadata, "format" | "width" | "height" | "depth" | "isProgressive" | "hasAlpha">;

export function memoryToShrink(header: PictureHeader): number {
  return FIXED_BYTES + Math.ceil(header.width * header.height * bytesPerPixel(header));
}

/** @param frames number of frames, which are held in memory together */
export function memoryToEncode(header: PictureHeader, frames: number): number {
  const each = bytesPerPixel(header) + (header.format === "png" ? WHOLE.png : WHOLE.others);
  return FIXED_BYTES + Math.ceil(header.width * header.height * frames * each);
}

function bytesPerPixel({ format, depth, isProgressive, hasAlpha }: PictureHeader): number {
  if (format === "jpeg" || format === "png")
    return isProgressive ? BYTES_PER_PIXEL.progressive : BYTES_PER_PIXEL.rows;
  if (format === "gif" || format === "webp") return BYTES_PER_PIXEL.whole;
  return BYTES_PER_PIXEL.avif * (depth === "uchar" ? 1 : 1.6) * (hasAlpha ? 1.3 : 1);
}

const SERVER = 150 * MEGABYTE;
const DECODER = 110 * MEGABYTE;
const MIN_BYTES = 64 * MEGABYTE;
const MAX_BYTES_ALONE = 2048 * MEGABYTE;
const MAX_BYTES_TOGETHER = 256 * MEGABYTE;

/**
 * @param memory of the whole machine or container, in bytes
 * @returns limits in bytes
 */
export function decodingLimits(memory: number) {
  const alone = Math.min(MAX_BYTES_ALONE, Math.max(MIN_BYTES, memory - SERVER - DECODER));
  return { alone, together: Math.min(MAX_BYTES_TOGETHER, alone), decoder: alone + DECODER };
}
