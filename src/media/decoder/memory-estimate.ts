import type { Metadata } from "sharp";
import { MEGABYTE } from "../../config/units";
import { CHANNELS, type HeicHeader } from "./heic-picture";

/**
 * Bytes of memory per pixel to shrink an image, measured as the peak of a process (sharp 0.35.5, libvips 8.18, one
 * thread), rounded up.
 */
const BYTES_PER_PIXEL = {
  /** Decoded row by row, scaled from the start. */
  jpeg: 0.5,
  /** Holds all coefficients, with chroma at a quarter. */
  progressiveJpeg: 3.5,
  /** The same with full chroma. */
  progressiveJpegFullColour: 6.5,
  png: 0.5,
  /** Holds all rows; per byte of a pixel. */
  interlacedPngByte: 1.2,
  /** Scaled from the start; transparency is held in full. */
  webp: 0.5,
  webpTransparency: 2.5,
  losslessWebp: 6,
  /** Held twice: with and without its palette. */
  gif: 6.5,
  /** Held several times, as planes and as colors. */
  avif: 18.5,
};
/** Additional bytes per pixel to encode the whole image. */
const WHOLE = { png: 6, others: 12 };
/** Decoder tables, some rows, an encoder. */
const FIXED = 24 * MEGABYTE;

export type PictureHeader = Pick<
  Metadata,
  "format" | "width" | "height" | "channels" | "depth" | "isProgressive" | "chromaSubsampling" | "hasAlpha"
> & { isLosslessWebp: boolean };

/** Bytes of memory to make renditions. */
export function memoryToShrink(header: PictureHeader): number {
  return FIXED + Math.ceil(header.width * header.height * bytesPerPixel(header));
}

/** Bytes of memory to encode it again. @param frames of an animation; all are held */
export function memoryToEncode(header: PictureHeader, frames: number): number {
  const each = bytesPerPixel(header) + (header.format === "png" ? WHOLE.png : WHOLE.others);
  return FIXED + Math.ceil(header.width * header.height * frames * each);
}

/** All pixels, the file twice, and 10 bytes per pixel of a tile in libheif. */
export function memoryForHeic({ width, height, tilePixels }: HeicHeader, byteSize: number): number {
  return FIXED + width * height * CHANNELS + 2 * byteSize + 10 * tilePixels;
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
  // With more than 8 bits per sample, each plane takes two bytes.
  return each.avif * (depth === "uchar" ? 1 : 1.6) * (header.hasAlpha ? 1.3 : 1);
}

/** Memory of the server, and of an idle decoder. */
const SERVER = 150 * MEGABYTE;
const DECODER = 110 * MEGABYTE;
const LEAST = 64 * MEGABYTE;
const MOST_ALONE = 2048 * MEGABYTE;
const MOST_TOGETHER = 256 * MEGABYTE;

/** Memory for decoding, in bytes. @param memory of the whole machine or container */
export function decodingLimits(memory: number) {
  const alone = Math.min(MOST_ALONE, Math.max(LEAST, memory - SERVER - DECODER));
  return {
    /** One image decoded alone. */
    alone,
    /** Images decoded in parallel. */
    together: Math.min(MOST_TOGETHER, alone),
    /** The decoder is killed above this. */
    decoder: alone + DECODER,
  };
}
