import type { Metadata } from "sharp";
import { MEGABYTE } from "../../config/units";

/**
 * Bytes of memory per pixel to shrink an image, rounded up. Measured with sharp 0.35.5, libvips 8.18 and one thread.
 */
const BYTES_PER_PIXEL = {
  /** The decoder reads row by row and scales while decoding. */
  jpeg: 0.5,
  /** The decoder holds all coefficients, with chroma at a quarter of the resolution. */
  progressiveJpeg: 3.5,
  /** The decoder holds all coefficients, with chroma at full resolution. */
  progressiveJpegFullColour: 6.5,
  png: 0.5,
  /** The decoder holds all rows. The unit is bytes of memory per byte of a pixel. */
  interlacedPngByte: 1.2,
  /** The decoder scales while decoding, but holds transparency in full. */
  webp: 0.5,
  webpTransparency: 2.5,
  losslessWebp: 6,
  /** The decoder holds the image twice: with and without its palette. */
  gif: 6.5,
  /** The decoder holds the image several times, as planes and as colors. */
  avif: 18.5,
};
/** Additional bytes per pixel to encode the whole image. */
const WHOLE = { png: 6, others: 12 };
/** Bytes for decoder tables, a few rows and an encoder. */
export const FIXED_BYTES = 24 * MEGABYTE;

export type PictureHeader = Pick<
  Metadata,
  "format" | "width" | "height" | "channels" | "depth" | "isProgressive" | "chromaSubsampling" | "hasAlpha"
> & { isLosslessWebp: boolean };

/** Returns the bytes of memory needed to make renditions. */
export function memoryToShrink(header: PictureHeader): number {
  return FIXED_BYTES + Math.ceil(header.width * header.height * bytesPerPixel(header));
}

/**
 * Returns the bytes of memory needed to encode an image again.
 * @param frames number of frames; all are held in memory
 */
export function memoryToEncode(header: PictureHeader, frames: number): number {
  const each = bytesPerPixel(header) + (header.format === "png" ? WHOLE.png : WHOLE.others);
  return FIXED_BYTES + Math.ceil(header.width * header.height * frames * each);
}

function bytesPerPixel(header: PictureHeader): number {
  const { format, channels, depth, isProgressive, chromaSubsampling = "", isLosslessWebp } = header;
  const bytes = channels * (depth === "uchar" ? 1 : 2);
  const each = BYTES_PER_PIXEL;
  if (format === "jpeg" && isProgressive)
    return chromaSubsampling.startsWith("4:2:0") ? each.progressiveJpeg : each.progressiveJpegFullColour;
  if (format === "jpeg") return each.jpeg;
  if (format === "png") return isProgressive ? bytes * each.interlacedPngByte : each.png;
  if (format === "gif") return each.gif;
  if (format === "webp" && isLosslessWebp) return each.losslessWebp;
  if (format === "webp") return header.hasAlpha ? each.webpTransparency : each.webp;
  // With more than 8 bits per sample, each sample takes two bytes.
  return each.avif * (depth === "uchar" ? 1 : 1.6) * (header.hasAlpha ? 1.3 : 1);
}

/** Memory of the server. `DECODER` is the memory of an idle decoder. */
const SERVER = 150 * MEGABYTE;
const DECODER = 110 * MEGABYTE;
const MIN_BYTES = 64 * MEGABYTE;
const MAX_BYTES_ALONE = 2048 * MEGABYTE;
const MAX_BYTES_TOGETHER = 256 * MEGABYTE;

/** Returns memory limits for decoding in bytes. @param memory memory of the whole machine or container */
export function decodingLimits(memory: number) {
  const alone = Math.min(MAX_BYTES_ALONE, Math.max(MIN_BYTES, memory - SERVER - DECODER));
  return {
    /** Limit for an image that is decoded alone. */
    alone,
    /** Limit for all images that are decoded in parallel. */
    together: Math.min(MAX_BYTES_TOGETHER, alone),
    /** The decoder is killed if it uses more than this. */
    decoder: alone + DECODER,
  };
}
