import { readFile } from "node:fs/promises";
import type { Metadata } from "sharp";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import type { Format } from "../files/file-formats";
import { writeAtomically } from "../files/media-folder";
import { inImagePool } from "./image-pool";
import { MOST_SCANS, scansIn } from "./jpeg-scans";
import { partsWithoutMetadata } from "./metadata-stripping";
import { loadSharp } from "./sharp";

/** The most pixels, of all frames together, that are decoded into memory. */
export const PIXEL_LIMIT = 100_000_000;

/** The longest side of a poster, in pixels. */
const POSTER_BOX = 1920;

/** Encoder settings: quality close to the upload's, effort low enough to take seconds. */
const ENCODING = {
  jpeg: { quality: 90 },
  png: {},
  gif: { effort: 3 },
  webp: { quality: 90, effort: 2 },
  avif: { quality: 70, effort: 2 },
};

/** An uploaded image as it will be served. */
export interface ReadableImage {
  /** The bytes to be served; null where they are the upload's own. */
  readonly cleaned: Uint8Array[] | null;
  /** Pixels as shown, after orientation. */
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

/**
 * Reads an uploaded image and makes the file that is served: without metadata, which may tell where a photo was taken. A
 * JPEG keeps the one tag that browsers turn it by; others must be turned themselves and are encoded anew.
 * @throws Refusal on `field`: damaged, too many pixels, or made to take long
 */
export async function readUploadedImage(
  platen: Platen,
  path: string,
  format: Format,
  field: string,
): Promise<ReadableImage> {
  const bytes = await readFile(path);
  const metadata = await headerOf(platen, bytes, format, field);
  const isMultiFrame = (metadata.pages ?? 1) > 1;
  const parts = mayKeepEncoding(metadata, isMultiFrame)
    ? partsWithoutMetadata(bytes, format, metadata.orientation)
    : null;
  const isClean = parts !== null && Buffer.concat(parts).equals(bytes);
  const shown = isMultiFrame ? metadata : metadata.autoOrient;
  return {
    cleaned: isClean ? null : (parts ?? [await reencoded(platen, path, format, isMultiFrame, field)]),
    width: shown.width,
    height: shown.height,
    isAnimated: isMultiFrame || hasAnimationMark(bytes, format),
  };
}

async function headerOf(platen: Platen, bytes: Buffer, format: Format, field: string): Promise<Metadata> {
  const sharp = await loadSharp(platen.config.data);
  const metadata = await sharp(bytes, { limitInputPixels: false })
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
  if (format.name === "jpeg" && scansIn(bytes) > MOST_SCANS)
    throw invalid({ [field]: [`has too many scans: a JPEG may have ${MOST_SCANS}; save it anew`] });
  return metadata;
}

/** Browsers turn no PNG or WebP by a tag. Several frames cannot be turned; an AVIF says by itself how it is to be shown. */
function mayKeepEncoding({ format, orientation = 1 }: Metadata, isMultiFrame: boolean): boolean {
  return isMultiFrame || orientation === 1 || format === "jpeg";
}

/** Animations of which sharp reads one frame only: APNG, and AVIF sequences. */
function hasAnimationMark(bytes: Buffer, format: Format): boolean {
  if (format.name === "png") return bytes.subarray(0, bytes.indexOf("IDAT")).includes("acTL");
  return format.name === "avif" && bytes.toString("latin1", 8, 12) === "avis";
}

/** Decodes every pixel, so a file that is cut short is found out here. */
async function reencoded(
  platen: Platen,
  path: string,
  format: Format,
  isMultiFrame: boolean,
  field: string,
): Promise<Uint8Array> {
  const sharp = await loadSharp(platen.config.data);
  const image = sharp(path, { animated: isMultiFrame, limitInputPixels: PIXEL_LIMIT, failOn: "truncated" });
  const upright = isMultiFrame ? image : image.autoOrient();
  const encoded = upright
    .keepIccProfile()
    .toFormat(format.name as keyof typeof ENCODING, ENCODING[format.name as keyof typeof ENCODING]);
  return inImagePool(platen, () => encoded.toBuffer()).catch(() => {
    throw invalid({ [field]: ["is damaged or cut short: it cannot be read to its end"] });
  });
}

/** Writes the still picture shown before a video plays, as WebP. @throws Refusal on `poster` */
export async function writePoster(platen: Platen, from: string, format: Format, to: string): Promise<void> {
  const field = "poster";
  await headerOf(platen, await readFile(from), format, field);
  const sharp = await loadSharp(platen.config.data);
  const poster = sharp(from, { limitInputPixels: PIXEL_LIMIT, failOn: "truncated" })
    .autoOrient()
    .resize({ width: POSTER_BOX, height: POSTER_BOX, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80, effort: 2 });
  const bytes = await inImagePool(platen, () => poster.toBuffer()).catch(() => {
    throw invalid({ [field]: ["is damaged or cut short: it cannot be read to its end"] });
  });
  await writeAtomically(to, [bytes]);
}
