import { readFile } from "node:fs/promises";
import type { Metadata } from "sharp";
import { MEGABYTE } from "../../config/units";
import { grouped } from "../../text/numbers";
import { type Format, MAX_PIXELS } from "../files/file-formats-and-limits";
import { writeAtomically } from "../files/media-folder";
import { ImageError, type PictureFile, type Task, type WrittenFile } from "./decoder-tasks";
import {
  MAX_JPEG_SCANS,
  MAX_WEBP_FRAMES,
  partsWithoutMetadata,
  scansIn,
  webpFramesIn,
} from "./metadata-stripping";
import { loadSharp } from "./sharp";

export async function readPicture(task: Task<"read">): Promise<PictureFile> {
  const { path, format, to, maxMemory, dataFolder } = task;
  const bytes = await readFile(path);
  const metadata = await readHeader(bytes, format, dataFolder);
  const isMultiFrame = (metadata.pages ?? 1) > 1;
  const parts = mayKeepEncoding(metadata, isMultiFrame)
    ? partsWithoutMetadata(bytes, format, metadata.orientation)
    : null;
  const [need, needToEncode] = [memoryToShrink(metadata), memoryToEncode(metadata, metadata.pages ?? 1)];
  assertMemory(parts ? need : needToEncode, maxMemory);
  const isClean = parts !== null && isAllOf(parts, bytes);
  const { width, height } = isMultiFrame ? metadata : metadata.autoOrient;
  return {
    width,
    height,
    isMultiFrame,
    isAnimated: isMultiFrame || hasAnimationMark(bytes, format),
    served: isClean ? "upload" : parts ? await writeHashed(parts, to) : "encoded",
    need,
    needToEncode,
  };
}

function isAllOf(parts: Buffer[], bytes: Buffer): boolean {
  let at = 0;
  for (const part of parts) {
    if (!part.equals(bytes.subarray(at, at + part.length))) return false;
    at += part.length;
  }
  return at === bytes.length;
}

async function readHeader(bytes: Buffer, format: Format, dataFolder: string): Promise<Metadata> {
  if (format.name === "webp" && webpFramesIn(bytes) > MAX_WEBP_FRAMES)
    throw new ImageError(`has too many frames (at most ${grouped(MAX_WEBP_FRAMES)})`);
  const sharp = await loadSharp(dataFolder);
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => null);
  const isAsSniffed = metadata?.format === (format.name === "avif" ? "heif" : format.name);
  if (!metadata || !isAsSniffed) throw new ImageError("is damaged: it cannot be read as an image");

  assertPixels(metadata.width, metadata.height, metadata.pages);
  if (format.name === "jpeg" && scansIn(bytes) > MAX_JPEG_SCANS)
    throw new ImageError(`has too many scans (at most ${MAX_JPEG_SCANS}); save the JPEG again`);
  return metadata;
}

/** The limit of JPEG and GIF. The decoder holds several rows, so a wider PNG needs too much memory. */
const MAX_SIDE = 65_535;

export function assertPixels(width: number, height: number, frames = 1): void {
  if (Math.max(width, height) > MAX_SIDE)
    throw new ImageError(`is too wide or too high (at most ${grouped(MAX_SIDE)} pixels)`);
  const pixels = width * height * frames;
  if (pixels <= MAX_PIXELS) return;
  const limit = MAX_PIXELS / 1_000_000;
  throw new ImageError(
    `has too many pixels: ${Math.ceil(pixels / 1_000_000)} million, all frames together; at most ${limit} million are accepted`,
  );
}

/** Some browsers ignore the orientation of formats other than JPEG. Animations cannot be rotated. */
function mayKeepEncoding({ format, orientation = 1 }: Metadata, isMultiFrame: boolean): boolean {
  return isMultiFrame || orientation === 1 || format === "jpeg";
}

export function assertMemory(need: number, available: number): void {
  if (need <= available) return;
  const [needed, present] = [need, available].map((bytes) => `${Math.ceil(bytes / MEGABYTE)} MB`);
  throw new ImageError(
    `needs too much memory to decode: ${needed}, but this server has ${present}. Save it smaller or as a baseline JPEG.`,
  );
}

/** sharp reads only one frame of an APNG or AVIF sequence. */
function hasAnimationMark(bytes: Buffer, format: Format): boolean {
  if (format.name === "png") return bytes.subarray(0, bytes.indexOf("IDAT")).includes("acTL");
  return format.name === "avif" && bytes.toString("latin1", 8, 12) === "avis";
}

export async function writeHashed(parts: Buffer[], to: string): Promise<WrittenFile> {
  await writeAtomically(to, parts);
  const hash = new Bun.CryptoHasher("sha256");
  for (const part of parts) hash.update(part);
  return { byteSize: parts.reduce((sum, { length }) => sum + length, 0), sha256: hash.digest("hex") };
}

export async function measureMemory({ path, dataFolder }: Task<"measure">): Promise<number> {
  const sharp = await loadSharp(dataFolder);
  const reading = sharp(path, { limitInputPixels: false }).metadata();
  return memoryToShrink(await orImageError(reading, "cannot be read as an image"));
}

/**
 * @throws ImageError if the image cannot be processed; the original error if memory or disk space ran out, or
 * the file is gone
 */
export async function orImageError<Result>(work: Promise<Result>, imageMessage?: string): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const { message } = error as Error;
    if (/out of memory|unable to (allocate|open)|file is missing|no space/i.test(message)) throw error;
    throw new ImageError(imageMessage ?? message);
  }
}

/** Bytes per pixel to shrink an image, rounded up. Measured with sharp 0.35.5, libvips 8.18, one thread. */
const BYTES_PER_PIXEL = { rows: 0.5, progressive: 3.5, whole: 6.5, avif: 18.5 };
/** Additional bytes per pixel to encode the whole image again. */
const WHOLE = { png: 6, others: 12 };
export const FIXED_BYTES = 24 * MEGABYTE;

type PictureHeader = Pick<Metadata, "format" | "width" | "height" | "depth" | "isProgressive" | "hasAlpha">;

function memoryToShrink(header: PictureHeader): number {
  return FIXED_BYTES + Math.ceil(header.width * header.height * bytesPerPixel(header));
}

/** @param frames number of frames, which are held in memory together */
function memoryToEncode(header: PictureHeader, frames: number): number {
  const each = bytesPerPixel(header) + (header.format === "png" ? WHOLE.png : WHOLE.others);
  return FIXED_BYTES + Math.ceil(header.width * header.height * frames * each);
}

function bytesPerPixel({ format, depth, isProgressive, hasAlpha }: PictureHeader): number {
  if (format === "jpeg" || format === "png")
    return isProgressive ? BYTES_PER_PIXEL.progressive : BYTES_PER_PIXEL.rows;
  if (format === "gif" || format === "webp") return BYTES_PER_PIXEL.whole;
  return BYTES_PER_PIXEL.avif * (depth === "uchar" ? 1 : 1.6) * (hasAlpha ? 1.3 : 1);
}
