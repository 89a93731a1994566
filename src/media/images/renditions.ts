import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Sharp } from "sharp";
import type { Platen } from "../../platen";
import { blobWithId, type StoredBlob } from "../files/blobs";
import { mediaFolder, writeWhole } from "../files/media-folder";
import { inLane } from "./image-pool";
import { keepPlaceholder } from "./placeholders";
import { loadSharp } from "./sharp";
import { PIXEL_LIMIT } from "./uploaded-images";

/** Widths a picture is shown in, in pixels; a picture is never made wider than it is. */
const WIDTHS = [480, 960, 1440, 1920];
/** The box a thumbnail fits into, in pixels. */
const THUMBNAIL_BOX = 400;
const THUMBNAIL = "thumb.webp";
/** WebP holds no side longer than this, in pixels. */
const WEBP_LONGEST = 16_383;

/** A video without a poster is shown as this. */
const PLAY_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="225" viewBox="0 0 400 225">
<rect width="400" height="225" fill="#3a3f45"/><circle cx="200" cy="112.5" r="48" fill="#fff" fill-opacity=".9"/>
<path d="M184 86v53l46-26.5z" fill="#3a3f45"/></svg>`;

/** What stands for a picture whose bytes nobody can make a picture of: its addresses must answer all the same. */
const BLANK_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" viewBox="0 0 400 300">
<rect width="400" height="300" fill="#d7d9dc"/>
<path d="M150 185l35-45 25 30 15-18 25 33z" fill="#fff"/><circle cx="225" cy="120" r="12" fill="#fff"/></svg>`;

/** The widths an image is also kept in, in pixels, ascending; none for animations, which are shown as they are. */
export function sizesOf(blob: StoredBlob): number[] {
  const { mediaType, isAnimated, width, height } = blob;
  if (mediaType !== "image" || isAnimated || width === null || height === null) return [];
  return WIDTHS.filter((size) => size < width && Math.round((height * size) / width) <= WEBP_LONGEST);
}

/**
 * The path on disk of a derived picture ("480.webp", "thumb.webp"), made now where it is missing.
 * @returns null where the blob has none of that name, or none can be made of it
 */
export async function ensureDerived(platen: Platen, blob: StoredBlob, name: string): Promise<string | null> {
  if (!namesOf(blob).includes(name)) return null;
  const path = pathOf(platen, blob, name);
  if (!existsSync(path)) await derivedOnce(platen, blob);
  return existsSync(path) ? path : null;
}

/** Makes all derived pictures while the caller goes on. */
export function deriveLater(platen: Platen, blob: StoredBlob): void {
  void derivedOnce(platen, blob);
}

const jobsOf = new WeakMap<Platen, Map<string, Promise<void>>>();

/** One job per blob, however often it is asked for meanwhile. A failure goes to the log. */
function derivedOnce(platen: Platen, blob: StoredBlob): Promise<void> {
  const jobs = jobsOf.get(platen) ?? new Map<string, Promise<void>>();
  jobsOf.set(platen, jobs);
  const running = jobs.get(blob.folder);
  if (running) return running;
  const job = inLane(platen, () => deriveUnlessDeleted(platen, blob))
    .catch((fault) => platen.log(`The sizes of media/${blob.folder} cannot be made: ${fault}`))
    .finally(() => jobs.delete(blob.folder));
  jobs.set(blob.folder, job);
  return job;
}

/** A blob may be deleted at any moment meanwhile: that is no fault, and nothing of it stays behind. */
async function deriveUnlessDeleted(platen: Platen, blob: StoredBlob): Promise<void> {
  if (isDeleted(platen, blob)) return;
  try {
    await derive(platen, blob);
  } catch (fault) {
    if (!isDeleted(platen, blob)) throw fault;
  }
  if (isDeleted(platen, blob)) await rm(mediaFolder(platen, blob.folder), { recursive: true, force: true });
}

function isDeleted(platen: Platen, { id }: StoredBlob): boolean {
  return blobWithId(platen, id) === undefined;
}

async function derive(platen: Platen, blob: StoredBlob): Promise<void> {
  const missing = namesOf(blob).filter((name) => !existsSync(pathOf(platen, blob, name)));
  if (missing.length === 0) return;
  await mkdir(mediaFolder(platen, blob.folder, "sizes"), { recursive: true });
  try {
    const picture = await pictureOf(platen, blob);
    await writeSizes(platen, blob, missing, picture);
    if (blob.mediaType === "image") await keepPlaceholder(platen, blob, picture());
  } catch (fault) {
    if (isDeleted(platen, blob)) return;
    platen.log(`media/${blob.folder}/${blob.filename} is damaged and shown as a blank: ${fault}`);
    const sharp = await loadSharp(platen.config.data);
    await writeSizes(platen, blob, missing, () => sharp(Buffer.from(BLANK_PICTURE)));
  }
}

async function writeSizes(platen: Platen, blob: StoredBlob, names: string[], picture: () => Sharp) {
  for (const name of names) {
    const resized = name === THUMBNAIL ? asThumbnail(picture()) : picture().resize({ width: widthOf(name) });
    const bytes = await resized.webp({ quality: 80, effort: 2 }).toBuffer();
    if (isDeleted(platen, blob)) return;
    await writeWhole(pathOf(platen, blob, name), [bytes]);
  }
}

/** What the sizes are made of: the file decoded once, no larger than the largest of them. */
async function pictureOf(platen: Platen, blob: StoredBlob): Promise<() => Sharp> {
  const sharp = await loadSharp(platen.config.data);
  // A damaged end of a picture is no reason to show nothing of it.
  const options = { limitInputPixels: PIXEL_LIMIT, failOn: "none" } as const;
  const largest = sizesOf(blob).at(-1);
  if (blob.mediaType === "video" && !blob.hasPoster) return () => sharp(Buffer.from(PLAY_PICTURE));
  const path = mediaFolder(platen, blob.folder, blob.mediaType === "video" ? "poster.webp" : blob.filename);
  if (!largest) return () => sharp(path, options);
  const { data, info } = await sharp(path, options)
    .resize({ width: largest })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return () => sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
}

function asThumbnail(picture: Sharp): Sharp {
  return picture.resize({
    width: THUMBNAIL_BOX,
    height: THUMBNAIL_BOX,
    fit: "inside",
    withoutEnlargement: true,
  });
}

function namesOf(blob: StoredBlob): string[] {
  return [THUMBNAIL, ...sizesOf(blob).map((width) => `${width}.webp`)];
}

function widthOf(name: string): number {
  return Number.parseInt(name, 10);
}

function pathOf(platen: Platen, blob: StoredBlob, name: string): string {
  return join(mediaFolder(platen, blob.folder), "sizes", name);
}
