import { join } from "node:path";
import type { Sharp } from "sharp";
import { MAX_PIXELS } from "../files/file-formats-and-limits";
import { writeAtomically } from "../files/media-folder";
import { THUMBNAIL_BOX } from "../files/rendition-sizes";
import { loadSharp } from "../sharp/sharp";
import type { Task } from "./decoder-tasks";
import { orImageError, writeHashed } from "./reading-pictures";

const POSTER_BOX = 1920;
const DAMAGED = "is damaged or truncated";

/** Encoder options: high quality to stay close to the upload, low effort for speed. */
const ENCODING = {
  jpeg: { quality: 90 },
  png: {},
  gif: { effort: 3 },
  webp: { quality: 90, effort: 2 },
  avif: { quality: 70, effort: 2 },
};

/** @throws ImageError */
export async function shrink({ from, sizes, folder, ...task }: Task<"shrink">): Promise<string | null> {
  const sharp = await loadSharp(task.dataFolder);
  const widest = Math.max(...sizes.map(({ width }) => width ?? 0));
  const sources = "svg" in from ? [] : [await decodePixels(sharp, from.path, widest || null)];
  const pictureFor = (width: number) =>
    "svg" in from ? sharp(Buffer.from(from.svg)) : pictureOf(sharp, sourceFor(sources, width));
  for (const { name, width, crop } of widestFirst(sizes)) {
    let picture = resizePicture(pictureFor(width ?? THUMBNAIL_BOX), width);
    if (crop) picture = picture.extract(crop);
    else if (width !== null && width <= widest / MIN_SOURCE_RATIO) {
      const pixels = await pixelsOf(picture);
      sources.push(pixels);
      picture = pictureOf(sharp, pixels);
    }
    const bytes = await picture.webp({ quality: 80, effort: 2 }).toBuffer();
    await writeAtomically(join(folder, name), [bytes]);
  }
  return task.withPlaceholder ? await placeholderOf(sharp, pictureFor(PLACEHOLDER_SIDE)) : null;
}

/** Each rendition is made from the smallest finished rendition that is at least this many times wider. */
const MIN_SOURCE_RATIO = 2;

function sourceFor(sources: Pixels[], width: number): Pixels {
  return sources.findLast(({ raw }) => raw.width >= MIN_SOURCE_RATIO * width) ?? (sources[0] as Pixels);
}

function widestFirst(sizes: Task<"shrink">["sizes"]): Task<"shrink">["sizes"] {
  return sizes.toSorted((one, other) => (other.width ?? 0) - (one.width ?? 0));
}

/** Decodes an image with its orientation applied, and no larger than needed, to save memory. */
async function decodePixels(sharp: SharpModule, path: string, widest: number | null): Promise<Pixels> {
  // Accepts truncated images and shows the part that can be decoded.
  const upright = sharp(path, { limitInputPixels: MAX_PIXELS, failOn: "none" }).autoOrient();
  return await orImageError(pixelsOf(resizePicture(upright, widest)));
}

/** @param width null for the thumbnail */
function resizePicture(picture: Sharp, width: number | null): Sharp {
  return picture.resize(width === null ? boxOf(THUMBNAIL_BOX) : { width });
}

const boxOf = (side: number) =>
  ({ width: side, height: side, fit: "inside", withoutEnlargement: true }) as const;

/** Re-encodes an image. Decodes every pixel, so truncated files are detected. @throws ImageError */
export async function encodePicture({ path, format, isMultiFrame, to, dataFolder }: Task<"encode">) {
  const sharp = await loadSharp(dataFolder);
  const image = sharp(path, { animated: isMultiFrame, limitInputPixels: MAX_PIXELS, failOn: "truncated" });
  const upright = isMultiFrame ? image : image.autoOrient();
  const encoded = upright
    .keepIccProfile()
    .toFormat(format.name as keyof typeof ENCODING, ENCODING[format.name as keyof typeof ENCODING]);
  return await writeHashed([await orImageError(encoded.toBuffer(), DAMAGED)], to);
}

/** @throws ImageError */
export async function makePoster({ path, to, dataFolder }: Task<"poster">): Promise<null> {
  const sharp = await loadSharp(dataFolder);
  const poster = sharp(path, { limitInputPixels: MAX_PIXELS, failOn: "truncated" })
    .autoOrient()
    .resize(boxOf(POSTER_BOX))
    .webp({ quality: 80, effort: 2 });
  await writeAtomically(to, [await orImageError(poster.toBuffer(), DAMAGED)]);
  return null;
}

/** Longest side of a placeholder in pixels. Browsers enlarge and blur it. */
const PLACEHOLDER_SIDE = 20;
/** Minimum alpha of an opaque pixel. Through more transparent pixels, the placeholder would stay visible. */
const OPAQUE = 250;

/** Returns the placeholder as a `data:` URL; null for an image with transparency. */
async function placeholderOf(sharp: SharpModule, picture: Sharp): Promise<string | null> {
  const tiny = picture
    .resize({ width: PLACEHOLDER_SIDE, height: PLACEHOLDER_SIDE, fit: "inside" })
    .toColourspace("srgb");
  const { data, raw } = await pixelsOf(tiny);
  if (isTransparent(data, raw.channels)) return null;
  const encoded = await pictureOf(sharp, { data, raw }).webp({ quality: 40, effort: 4 }).toBuffer();
  return `data:image/webp;base64,${encoded.toString("base64")}`;
}

/** @param channels number of bytes per pixel; if 2 or 4, the last one is alpha */
function isTransparent(pixels: Buffer, channels: number): boolean {
  if (channels % 2 === 1) return false;
  for (let at = channels - 1; at < pixels.length; at += channels)
    if ((pixels[at] as number) < OPAQUE) return true;
  return false;
}

type SharpModule = Awaited<ReturnType<typeof loadSharp>>;

interface Pixels {
  data: Buffer;
  raw: { width: number; height: number; channels: 1 | 2 | 3 | 4 };
}

async function pixelsOf(picture: Sharp): Promise<Pixels> {
  const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
  return { data, raw: { width: info.width, height: info.height, channels: info.channels } };
}

function pictureOf(sharp: SharpModule, { data, raw }: Pixels): Sharp {
  return sharp(data, { raw });
}
