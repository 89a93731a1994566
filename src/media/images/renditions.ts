import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Sharp } from "sharp";
import type { Platen } from "../../platen";
import { blobWithId, type StoredBlob } from "../files/blobs";
import { mediaFolder, writeAtomically } from "../files/media-folder";
import { inImagePool } from "./image-pool";
import { storePlaceholder } from "./placeholders";
import { renditionWidths } from "./rendition-widths";
import { loadSharp } from "./sharp";
import { PIXEL_LIMIT } from "./uploaded-images";

/** The box a thumbnail fits into, in pixels. */
const THUMBNAIL_BOX = 400;
const THUMBNAIL = "thumb.webp";

/** The thumbnail of a video without a poster. */
const PLAY_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="225" viewBox="0 0 400 225">
<rect width="400" height="225" fill="#3a3f45"/><circle cx="200" cy="112.5" r="48" fill="#fff" fill-opacity=".9"/>
<path d="M184 86v53l46-26.5z" fill="#3a3f45"/></svg>`;

/** Shown instead of an image that cannot be decoded: pages refer to its renditions, whose addresses must answer. */
const BLANK_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" viewBox="0 0 400 300">
<rect width="400" height="300" fill="#d7d9dc"/>
<path d="M150 185l35-45 25 30 15-18 25 33z" fill="#fff"/><circle cx="225" cy="120" r="12" fill="#fff"/></svg>`;

/**
 * The path on disk of a rendition ("480.webp", "thumb.webp"), which is made now where it is missing.
 * @returns null where the blob has none of that name, or none can be made of it
 */
export async function ensureRendition(
  platen: Platen,
  blob: StoredBlob,
  name: string,
): Promise<string | null> {
  if (!renditionNames(blob).includes(name)) return null;
  const path = pathOnDisk(platen, blob, name);
  if (!existsSync(path)) await renditionsOnce(platen, blob);
  return existsSync(path) ? path : null;
}

/** Makes all renditions in the background. */
export function makeRenditionsLater(platen: Platen, blob: StoredBlob): void {
  void renditionsOnce(platen, blob);
}

interface Job {
  /** False while it waits in the image pool. */
  hasBegun: boolean;
  ended: Promise<void>;
}

/** Platen → folder of the blob → its job. */
const jobsByPlaten = new WeakMap<Platen, Map<string, Job>>();

/** One job per blob at a time: whoever asks meanwhile gets the same. Never rejects: failures go to the log. */
function renditionsOnce(platen: Platen, blob: StoredBlob): Promise<void> {
  const jobs = jobsByPlaten.get(platen) ?? new Map<string, Job>();
  jobsByPlaten.set(platen, jobs);
  const running = jobs.get(blob.folder);
  if (running) return running.ended;
  const job: Job = { hasBegun: false, ended: Promise.resolve() };
  jobs.set(blob.folder, job);
  const work = () => {
    job.hasBegun = true;
    return makeUnlessDeleted(platen, blob);
  };
  job.ended = inImagePool(platen, work)
    .catch((fault) => platen.log(`The sizes of media/${blob.folder} cannot be made: ${fault}`))
    .finally(() => jobs.delete(blob.folder));
  return job.ended;
}

/** Resolves when nothing writes renditions of this blob any more, provided that its row is deleted. */
export async function renditionsStopped(platen: Platen, { folder }: StoredBlob): Promise<void> {
  const job = jobsByPlaten.get(platen)?.get(folder);
  if (job?.hasBegun) await job.ended;
}

/** The blob may be deleted meanwhile: then nothing of it stays on disk, and nothing is logged. */
async function makeUnlessDeleted(platen: Platen, blob: StoredBlob): Promise<void> {
  if (isDeleted(platen, blob)) return;
  try {
    await makeMissing(platen, blob);
  } catch (fault) {
    if (!isDeleted(platen, blob)) throw fault;
  }
  if (isDeleted(platen, blob)) await rm(mediaFolder(platen, blob.folder), { recursive: true, force: true });
}

function isDeleted(platen: Platen, { id }: StoredBlob): boolean {
  return blobWithId(platen, id) === undefined;
}

async function makeMissing(platen: Platen, blob: StoredBlob): Promise<void> {
  const missing = renditionNames(blob).filter((name) => !existsSync(pathOnDisk(platen, blob, name)));
  if (missing.length === 0) return;
  await mkdir(mediaFolder(platen, blob.folder, "sizes"), { recursive: true });
  try {
    const picture = await pictureOf(platen, blob);
    // First: once a size is on disk, nobody waits for the rest.
    if (blob.mediaType === "image") await storePlaceholder(platen, blob, picture());
    await writeRenditions(platen, blob, missing, picture);
  } catch (fault) {
    if (isDeleted(platen, blob)) return;
    platen.log(`media/${blob.folder}/${blob.filename} is damaged and shown as a blank: ${fault}`);
    const sharp = await loadSharp(platen.config.data);
    await writeRenditions(platen, blob, missing, () => sharp(Buffer.from(BLANK_PICTURE)));
  }
}

async function writeRenditions(platen: Platen, blob: StoredBlob, names: string[], picture: () => Sharp) {
  for (const name of names) {
    const resized = name === THUMBNAIL ? asThumbnail(picture()) : picture().resize({ width: widthOf(name) });
    const bytes = await resized.webp({ quality: 80, effort: 2 }).toBuffer();
    if (isDeleted(platen, blob)) return;
    await writeAtomically(pathOnDisk(platen, blob, name), [bytes]);
  }
}

/** What renditions are made from: the image decoded once, upright and no larger than the largest of them. */
async function pictureOf(platen: Platen, blob: StoredBlob): Promise<() => Sharp> {
  const sharp = await loadSharp(platen.config.data);
  // Of an image with a damaged end, what can be decoded is shown.
  const options = { limitInputPixels: PIXEL_LIMIT, failOn: "none" } as const;
  const largest = renditionWidths(blob).at(-1);
  if (blob.mediaType === "video" && !blob.hasPoster) return () => sharp(Buffer.from(PLAY_PICTURE));
  const path = mediaFolder(platen, blob.folder, blob.mediaType === "video" ? "poster.webp" : blob.filename);
  if (!largest) return () => sharp(path, options).autoOrient();
  const { data, info } = await sharp(path, options)
    .autoOrient()
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

function renditionNames(blob: StoredBlob): string[] {
  return [THUMBNAIL, ...renditionWidths(blob).map((width) => `${width}.webp`)];
}

function widthOf(name: string): number {
  return Number.parseInt(name, 10);
}

function pathOnDisk(platen: Platen, blob: StoredBlob, name: string): string {
  return join(mediaFolder(platen, blob.folder), "sizes", name);
}
