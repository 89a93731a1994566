import { readFile } from "node:fs/promises";
import type { Metadata } from "sharp";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import type { Format } from "../files/file-formats";
import { writeWhole } from "../files/media-folder";
import { inLane } from "./image-pool";
import { essentialParts } from "./metadata-stripping";
import { loadSharp } from "./sharp";

/** Pixels of all frames together that the server is willing to hold in memory. */
export const PIXEL_LIMIT = 100_000_000;

/** The largest poster, in pixels either way. */
const POSTER_BOX = 1920;

/** Encoder settings of a picture that has to be made anew: close to the upload, without taking minutes. */
const ENCODING = {
  jpeg: { quality: 90 },
  png: {},
  gif: { effort: 3 },
  webp: { quality: 90, effort: 2 },
  avif: { quality: 70, effort: 2 },
};

export interface Picture {
  /** The bytes as readers may have them; null where the upload is that already. */
  readonly cleaned: Uint8Array[] | null;
  /** Pixels as shown, after orientation. */
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

/**
 * Reads an uploaded image and makes what readers get of it: upright, and without anything that might say where it was
 * taken. Only a picture that has to be turned, or cannot be taken apart, is encoded anew.
 * @throws Refusal on `field`: damaged, or too many pixels
 */
export async function readPicture(
  platen: Platen,
  path: string,
  format: Format,
  field: string,
): Promise<Picture> {
  const metadata = await headerOf(platen, path, format, field);
  const isStack = (metadata.pages ?? 1) > 1;
  const bytes = await readFile(path);
  const parts = mayStayAsItIs(metadata, isStack) ? essentialParts(bytes, format) : null;
  const isClean = parts !== null && lengthOf(parts) === bytes.length;
  const shown = isStack ? metadata : metadata.autoOrient;
  return {
    cleaned: isClean ? null : (parts ?? [await encodedAnew(platen, path, format, isStack, field)]),
    width: shown.width,
    height: shown.height,
    isAnimated: isStack || hasAnimationMark(bytes, format),
  };
}

async function headerOf(platen: Platen, path: string, format: Format, field: string): Promise<Metadata> {
  const sharp = await loadSharp(platen.config.data);
  const metadata = await sharp(path, { limitInputPixels: false })
    .metadata()
    .catch(() => null);
  const isAsSniffed = metadata?.format === (format.name === "avif" ? "heif" : format.name);
  if (!metadata || !isAsSniffed) throw invalid({ [field]: ["is damaged: it cannot be read as an image"] });

  const pixels = metadata.width * metadata.height * (metadata.pages ?? 1);
  if (pixels > PIXEL_LIMIT) {
    const limit = PIXEL_LIMIT / 1_000_000;
    const fault = `has too many pixels: ${Math.ceil(pixels / 1_000_000)} million, all frames together; at most ${limit} million are accepted`;
    throw invalid({ [field]: [fault] });
  }
  return metadata;
}

/** A stack of frames cannot be turned; what AVIF carries besides pixels cannot be taken out without encoding it anew. */
function mayStayAsItIs(metadata: Metadata, isStack: boolean): boolean {
  if (metadata.format === "heif") return !metadata.exif && !metadata.xmp && !metadata.iptc;
  return isStack || (metadata.orientation ?? 1) === 1;
}

/** Animations that sharp sees one frame of: APNG, and AVIF sequences. */
function hasAnimationMark(bytes: Buffer, format: Format): boolean {
  if (format.name === "png") return bytes.subarray(0, bytes.indexOf("IDAT")).includes("acTL");
  return format.name === "avif" && bytes.toString("latin1", 8, 12) === "avis";
}

/** Decodes every pixel, so a file that is cut short is found out here. */
async function encodedAnew(
  platen: Platen,
  path: string,
  format: Format,
  isStack: boolean,
  field: string,
): Promise<Uint8Array> {
  const sharp = await loadSharp(platen.config.data);
  const image = sharp(path, { animated: isStack, limitInputPixels: PIXEL_LIMIT, failOn: "truncated" });
  const upright = isStack ? image : image.autoOrient();
  const encoded = upright
    .keepIccProfile()
    .toFormat(format.name as keyof typeof ENCODING, ENCODING[format.name as keyof typeof ENCODING]);
  return inLane(platen, () => encoded.toBuffer()).catch(() => {
    throw invalid({ [field]: ["is damaged or cut short: it cannot be read to its end"] });
  });
}

function lengthOf(parts: Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** The still picture shown before a video plays. */
export async function writePoster(platen: Platen, from: string, format: Format, to: string): Promise<void> {
  const field = "poster";
  await headerOf(platen, from, format, field);
  const sharp = await loadSharp(platen.config.data);
  const poster = sharp(from, { limitInputPixels: PIXEL_LIMIT, failOn: "truncated" })
    .autoOrient()
    .resize({ width: POSTER_BOX, height: POSTER_BOX, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80, effort: 2 });
  const bytes = await inLane(platen, () => poster.toBuffer()).catch(() => {
    throw invalid({ [field]: ["is damaged or cut short: it cannot be read to its end"] });
  });
  await writeWhole(to, [bytes]);
}
