import type { Sharp } from "sharp";
import { pictureOf, pixelsOf, type SharpModule } from "./pixels";

/** The longer side of a placeholder, in pixels. It takes some 150 bytes, and browsers enlarge it to a blur. */
export const PLACEHOLDER_SIDE = 20;
/** Pixels of less alpha let the placeholder be seen behind the loaded picture. */
const OPAQUE = 250;

/** A `data:` URL; null for an image with transparent parts. */
export async function placeholderOf(sharp: SharpModule, picture: Sharp): Promise<string | null> {
  const tiny = picture
    .resize({ width: PLACEHOLDER_SIDE, height: PLACEHOLDER_SIDE, fit: "inside" })
    .toColourspace("srgb");
  const { data, raw } = await pixelsOf(tiny);
  if (isTransparent(data, raw.channels)) return null;
  const encoded = await pictureOf(sharp, { data, raw }).webp({ quality: 40, effort: 4 }).toBuffer();
  return `data:image/webp;base64,${encoded.toString("base64")}`;
}

/** @param channels bytes a pixel; of 2 and 4 the last is alpha */
function isTransparent(pixels: Buffer, channels: number): boolean {
  if (channels % 2 === 1) return false;
  for (let at = channels - 1; at < pixels.length; at += channels)
    if ((pixels[at] as number) < OPAQUE) return true;
  return false;
}
