import { join } from "node:path";
import type { Sharp } from "sharp";
import { writeAtomically } from "../files/media-folder";
import { loadSharp } from "../sharp/sharp";
import type { Task } from "./decoder-tasks";
import { faultOfPicture, PIXEL_LIMIT } from "./picture-reading";

/** The box a thumbnail fits into, in pixels. */
const THUMBNAIL_BOX = 400;
/** The longer side of a placeholder, in pixels. It takes some 150 bytes, and browsers enlarge it to a blur. */
const LONGER_SIDE = 20;
/** Pixels of less alpha let the placeholder be seen behind the loaded picture. */
const OPAQUE = 250;

/** @throws PictureFault where it cannot be decoded */
export async function shrink(task: Task<"shrink">): Promise<string | null> {
  const picture = await decodedOnce(task);
  const placeholder = task.withPlaceholder ? await placeholderOf(picture()) : null;
  for (const { name, width } of task.sizes) {
    const resized = width === null ? asThumbnail(picture()) : picture().resize({ width });
    const bytes = await resized.webp({ quality: 80, effort: 2 }).toBuffer();
    await writeAtomically(join(task.folder, name), [bytes]);
  }
  return placeholder;
}

/** Upright, and no larger than the largest that is made of it: many decoders hold only that. */
async function decodedOnce({ from, widest, dataFolder }: Task<"shrink">): Promise<() => Sharp> {
  const sharp = await loadSharp(dataFolder);
  if ("svg" in from) return () => sharp(Buffer.from(from.svg));
  // Of an image with a damaged end, what can be decoded is shown.
  const upright = sharp(from.path, { limitInputPixels: PIXEL_LIMIT, failOn: "none" }).autoOrient();
  const largest = widest === null ? asThumbnail(upright) : upright.resize({ width: widest });
  const { data, info } = await largest
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((fault) => {
      throw faultOfPicture(fault, (fault as Error).message);
    });
  const { width, height, channels } = info;
  return () => sharp(data, { raw: { width, height, channels } });
}

function asThumbnail(picture: Sharp): Sharp {
  return picture.resize({
    width: THUMBNAIL_BOX,
    height: THUMBNAIL_BOX,
    fit: "inside",
    withoutEnlargement: true,
  });
}

/** A `data:` URL; null for an image with transparent parts. */
async function placeholderOf(picture: Sharp): Promise<string | null> {
  const tiny = picture
    .resize({ width: LONGER_SIDE, height: LONGER_SIDE, fit: "inside" })
    .toColourspace("srgb");
  const { data, info } = await tiny.clone().raw().toBuffer({ resolveWithObject: true });
  if (isTransparent(data, info.channels)) return null;
  const encoded = await tiny.webp({ quality: 40, effort: 4 }).toBuffer();
  return `data:image/webp;base64,${encoded.toString("base64")}`;
}

/** @param channels bytes a pixel; of 2 and 4 the last is alpha */
function isTransparent(pixels: Buffer, channels: number): boolean {
  if (channels % 2 === 1) return false;
  for (let at = channels - 1; at < pixels.length; at += channels)
    if ((pixels[at] as number) < OPAQUE) return true;
  return false;
}
