import { readFile } from "node:fs/promises";
import { PIXEL_LIMIT } from "../files/file-formats";
import { photoSegment, profileSegments, timeTaken } from "../metadata/exif";
import { loadSharp } from "../sharp/sharp";
import type { Task, Written } from "./decoder-tasks";
import { CHANNELS, type HeicHeader, HeicPicture } from "./heic-picture";
import { needOfHeic } from "./memory-estimate";
import { demandMemory, demandPixels, faultOfPicture, written } from "./reading-pictures";

/**
 * Writes a HEIC photo as a JPEG of the same size, which says how it is to be turned and when it was taken.
 * @throws PictureFault: damaged, too many pixels, or more than there is memory for
 */
export async function convertHeic({ path, to, mostMemory, dataFolder }: Task<"convert">): Promise<Written> {
  const bytes = await readFile(path);
  const picture = await readable(() => HeicPicture.read(bytes));
  const { header } = picture;
  demandPixels(header.width * header.height);
  demandMemory(needOfHeic(header, bytes.length), mostMemory);
  const exif = await readable(() => picture.exif());
  const profile = await readable(() => picture.profile());
  const pixels = await readable(() => picture.pixels());
  const jpeg = await encoded(dataFolder, pixels, header);
  const isOfRgb = profile?.toString("latin1", 16, 20) === "RGB ";
  const segments = [
    photoSegment(header.orientation, exif && timeTaken(exif)),
    ...(profile && isOfRgb ? profileSegments(profile) : []),
  ];
  // JFIF's segment has to be the first.
  const behindJfif = 4 + jpeg.readUInt16BE(4);
  return await written([jpeg.subarray(0, behindJfif), ...segments, jpeg.subarray(behindJfif)], to);
}

async function encoded(dataFolder: string, pixels: Buffer, header: HeicHeader): Promise<Buffer> {
  const sharp = await loadSharp(dataFolder);
  const raw = { width: header.width, height: header.height, channels: CHANNELS };
  const shown = sharp(pixels, { raw, limitInputPixels: PIXEL_LIMIT });
  const { crop } = header;
  // Optimised coding holds all coefficients, twice the pixels.
  return await (crop ? shown.extract(crop) : shown).jpeg({ quality: 90, optimiseCoding: false }).toBuffer();
}

async function readable<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (fault) {
    throw faultOfPicture(fault, "is damaged: it cannot be read as a HEIC image");
  }
}
