import { MAX_PIXELS } from "../files/file-formats-and-limits";
import { writeAtomically } from "../files/media-folder";
import { THUMBNAIL_BOX } from "../files/rendition-sizes";
import type { Task } from "./decoder-tasks";
import { orImageError, writeHashed } from "./reading-pictures";
import { loadSharp, type Sharp } from "./sharp";

const POSTER_BOX = 1920;
const DAMAGED = "is damaged or truncated";

const ENCODING = {
  jpeg: { quality: 90 },
  png: {},
  gif: { effort: 3 },
  webp: { quality: 90, effort: 2 },
  avif: { quality: 70, effort: 2 },
};

/** Accepts truncated images: the part that can be decoded is shown. @throws ImageError */
export async function shrink({ from, to, width, crop, ...task }: Task<"shrink">): Promise<string | null> {
  const sharp = await loadSharp(task.dataFolder);
  const source =
    "svg" in from
      ? sharp(Buffer.from(from.svg))
      : sharp(from.path, { limitInputPixels: MAX_PIXELS, failOn: "none" }).autoOrient();
  const resized = source.resize(width === null ? boxOf(THUMBNAIL_BOX) : { width });
  const webp = (crop ? resized.extract(crop) : resized).webp({ quality: 80, effort: 2 });
  const bytes = await orImageError(webp.toBuffer());
  await writeAtomically(to, [bytes]);
  return task.withPlaceholder ? await placeholderOf(sharp, bytes) : null;
}

const boxOf = (side: number) =>
  ({ width: side, height: side, fit: "inside", withoutEnlargement: true }) as const;

/** Decodes every pixel and rejects truncated files. @throws ImageError */
export async function encodePicture({ path, format, isMultiFrame, to, dataFolder }: Task<"encode">) {
  const sharp = await loadSharp(dataFolder);
  const image = sharp(path, { animated: isMultiFrame, limitInputPixels: MAX_PIXELS, failOn: "truncated" });
  const upright = isMultiFrame ? image : image.autoOrient();
  const name = format.name as keyof typeof ENCODING;
  const encoded = upright.keepIccProfile().toFormat(name, ENCODING[name]);
  return await writeHashed([await orImageError(encoded.toBuffer(), DAMAGED)], to);
}

export async function makePoster({ path, to, dataFolder }: Task<"poster">): Promise<null> {
  const sharp = await loadSharp(dataFolder);
  const poster = sharp(path, { limitInputPixels: MAX_PIXELS, failOn: "truncated" })
    .autoOrient()
    .resize(boxOf(POSTER_BOX))
    .webp({ quality: 80, effort: 2 });
  await writeAtomically(to, [await orImageError(poster.toBuffer(), DAMAGED)]);
  return null;
}

const PLACEHOLDER_SIDE = 20;

/** null for a transparent image, because the placeholder would shine through. */
async function placeholderOf(sharp: Sharp, thumbnail: Buffer): Promise<string | null> {
  const { isOpaque } = await sharp(thumbnail).stats();
  if (!isOpaque) return null;
  const tiny = sharp(thumbnail).resize({ width: PLACEHOLDER_SIDE, height: PLACEHOLDER_SIDE, fit: "inside" });
  const encoded = await tiny.webp({ quality: 40, effort: 4 }).toBuffer();
  return `data:image/webp;base64,${encoded.toString("base64")}`;
}
