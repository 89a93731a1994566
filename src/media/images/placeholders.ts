import { eq, inArray } from "drizzle-orm";
import type { Sharp } from "sharp";
import { blobs } from "../../database/schema";
import type { Platen } from "../../platen";
import type { StoredBlob } from "../files/blobs";
import { loadSharp } from "./sharp";

/** The longer side of a placeholder, in pixels. It takes some 150 bytes, and browsers enlarge it to a blur. */
const LONGER_SIDE = 20;
/** Pixels of less alpha let the placeholder be seen behind the loaded picture. */
const OPAQUE = 250;

/** Makes and stores the blob's placeholder, a `data:` URL; an image with transparent parts gets none. */
export async function storePlaceholder(platen: Platen, blob: StoredBlob, picture: Sharp): Promise<void> {
  const box = { width: LONGER_SIDE, height: LONGER_SIDE, fit: "inside" } as const;
  const { data, info } = await picture
    .resize(box)
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (isTransparent(data, info.channels)) return;
  const sharp = await loadSharp(platen.config.data);
  const { width, height, channels } = info;
  const tiny = await sharp(data, { raw: { width, height, channels } })
    .webp({ quality: 40, effort: 4 })
    .toBuffer();
  const placeholder = `data:image/webp;base64,${tiny.toString("base64")}`;
  platen.db.update(blobs).set({ placeholder }).where(eq(blobs.id, blob.id)).run();
}

/** @param channels bytes a pixel; of 2 and 4 the last is alpha */
function isTransparent(pixels: Buffer, channels: number): boolean {
  if (channels % 2 === 1) return false;
  for (let at = channels - 1; at < pixels.length; at += channels)
    if ((pixels[at] as number) < OPAQUE) return true;
  return false;
}

/** Folder of the blob → its placeholder, for those that have one. */
export function placeholdersIn(platen: Platen, folders: string[]): Map<string, string> {
  if (folders.length === 0) return new Map();
  const rows = platen.db
    .select({ folder: blobs.folder, placeholder: blobs.placeholder })
    .from(blobs)
    .where(inArray(blobs.folder, folders))
    .all();
  return new Map(rows.filter(({ placeholder }) => placeholder).map((row) => [row.folder, row.placeholder]));
}
