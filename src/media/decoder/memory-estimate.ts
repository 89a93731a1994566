import type { Metadata } from "sharp";
import { MEGABYTE } from "../../config/units";
import { CHANNELS, type HeicHeader } from "./heic-picture";

/**
 * Bytes that a pixel takes in memory while a small picture is made of a large one. Measured as the peak of a process that
 * makes 1,920 pixels of 24 million, less what it had before, with sharp 0.35.5 (libvips 8.18, one thread): in brackets,
 * in MB; each figure has some room above that.
 */
const BYTES_PER_PIXEL = {
  /** Decoded row by row, and smaller by 2, 4 or 8 from the start (22; turned by its tag 49). */
  jpeg: 0.5,
  /** All coefficients are held, of two bytes; the colours at a quarter (91). */
  progressiveJpeg: 3.5,
  /** The same, the colours in full (161). */
  progressiveJpegFullColour: 6.5,
  /** Row by row (32). */
  png: 0.5,
  /** All rows are held: this for each byte of a pixel (91 for three). */
  interlacedPngByte: 1.2,
  /** Smaller from the start (29); transparency is held in full. */
  webp: 0.5,
  webpTransparency: 2.5,
  /** Held in full (138). */
  losslessWebp: 6,
  /** Held in full, once with its palette and once without (146). */
  gif: 6.5,
  /** Held several times over: as planes, and as colours (363 to 434). */
  avif: 18.5,
};
/** How much more a pixel takes where the whole picture is encoded (PNG 130 in all, WebP 240, lossless 273, GIF 418). */
const WHOLE = { png: 6, others: 12 };
/** What any work takes: a decoder's tables, some rows, an encoder. */
const FIXED = 24 * MEGABYTE;

export type PictureHeader = Pick<
  Metadata,
  "format" | "width" | "height" | "channels" | "depth" | "isProgressive" | "chromaSubsampling" | "hasAlpha"
> & { isLosslessWebp: boolean };

/** The memory that it takes to make small pictures of this one, in bytes. */
export function memoryToShrink(header: PictureHeader): number {
  return FIXED + Math.ceil(header.width * header.height * bytesPerPixel(header));
}

/** The memory that it takes to encode it anew, in bytes. @param frames of an animation, all of which are held */
export function memoryToEncode(header: PictureHeader, frames: number): number {
  const each = bytesPerPixel(header) + (header.format === "png" ? WHOLE.png : WHOLE.others);
  return FIXED + Math.ceil(header.width * header.height * frames * each);
}

/** All pixels, the file twice, and what libheif holds of a tile: 10 bytes a pixel, measured as above. */
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
  // Of more than 8 bits a sample, every plane is of two bytes.
  return each.avif * (depth === "uchar" ? 1 : 1.6) * (header.hasAlpha ? 1.3 : 1);
}

/** What the server takes for itself, and what the decoder does before it decodes anything. */
const SERVER = 150 * MEGABYTE;
const DECODER = 110 * MEGABYTE;
const LEAST = 64 * MEGABYTE;
const MOST_ALONE = 2048 * MEGABYTE;
const MOST_TOGETHER = 256 * MEGABYTE;

/** How much memory decoding may take, in bytes, where there is so much for everything. */
export function decodingLimits(memory: number) {
  const alone = Math.min(MOST_ALONE, Math.max(LEAST, memory - SERVER - DECODER));
  return {
    /** One picture, beside which nothing else is decoded. */
    alone,
    /** Pictures that are decoded at the same time. */
    together: Math.min(MOST_TOGETHER, alone),
    /** The decoder with all it holds; it is ended when it has more. */
    decoder: alone + DECODER,
  };
}
