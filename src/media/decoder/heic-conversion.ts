import { readFile } from "node:fs/promises";
import { MAX_PIXELS } from "../files/file-formats";
import { photoSegment, profileSegments, timeTaken } from "../metadata/exif";
import { loadSharp } from "../sharp/sharp";
import type { Task, WrittenFile } from "./decoder-tasks";
import { CHANNELS, type HeicHeader, HeicPicture } from "./heic-picture";
import { memoryForHeic } from "./memory-estimate";
import { assertMemory, assertPixels, toImageError, writeHashed } from "./reading-pictures";

/** Converts a HEIC photo to a JPEG. Keeps its orientation and capture time. @throws ImageError */
export async function convertHeic({
  path,
  to,
  mostMemory,
  dataFolder,
}: Task<"convert">): Promise<WrittenFile> {
  const bytes = await readFile(path);
  const picture = await readable(() => HeicPicture.read(bytes));
  const { header } = picture;
  assertPixels(header.width * header.height);
  assertMemory(memoryForHeic(header, bytes.length), mostMemory);
  const exif = await readable(() => picture.exif());
  const profile = await readable(() => picture.profile());
  const pixels = await readable(() => picture.pixels());
  const jpeg = await encoded(dataFolder, pixels, header);
  const isOfRgb = profile?.toString("latin1", 16, 20) === "RGB ";
  const segments = [
    photoSegment(header.orientation, exif && timeTaken(exif)),
    ...(profile && isOfRgb ? profileSegments(profile) : []),
  ];
  // The JFIF segment must come first.
  const behindJfif = 4 + jpeg.readUInt16BE(4);
  return await writeHashed([jpeg.subarray(0, behindJfif), ...segments, jpeg.subarray(behindJfif)], to);
}

async function encoded(dataFolder: string, pixels: Buffer, header: HeicHeader): Promise<Buffer> {
  const sharp = await loadSharp(dataFolder);
  const raw = { width: header.width, height: header.height, channels: CHANNELS };
  const shown = sharp(pixels, { raw, limitInputPixels: MAX_PIXELS });
  const { crop } = header;
  // Optimized coding is off, because it holds all coefficients in memory.
  return await (crop ? shown.extract(crop) : shown).jpeg({ quality: 90, optimiseCoding: false }).toBuffer();
}

async function readable<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (fault) {
    throw toImageError(fault, "is damaged: it cannot be read as a HEIC image");
  }
}
