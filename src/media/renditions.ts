import { existsSync, mkdirSync, renameSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { SECOND } from "../config/units";
import { waitForLock } from "../database/transactions";
import type { Platen } from "../platen";
import { chownToFolderOwner } from "../runtime/files";
import { ImageError, type ShrinkInput } from "./decoder/decoder-tasks";
import { type Purpose, runDecoderTask, SMALL_TASK_BYTES } from "./decoder/decoding";
import { isCurrent, type StoredBlob, storeFocus, storePlaceholder } from "./files/blobs";
import { incomingFolder, mediaFolder, newFolderName, writeAtomically } from "./files/media-folder";
import { localFile } from "./files/media-store";
import { mediaPath, posterPath } from "./files/media-urls";
import {
  cropNamed,
  cropsOf,
  isRendition,
  type RenditionSource,
  renditionNames,
  THUMBNAIL,
  widthFromName,
} from "./files/rendition-sizes";

const PLAY_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="225" viewBox="0 0 400 225">
<rect width="400" height="225" fill="#3a3f45"/><circle cx="200" cy="112.5" r="48" fill="#fff" fill-opacity=".9"/>
<path d="M184 86v53l46-26.5z" fill="#3a3f45"/></svg>`;

export const RETRY_DELAY_MS = 5 * SECOND;

/**
 * @param name such as "480.webp" or "thumb.webp"
 * @returns the path; null if the blob has no such rendition, or the rendition cannot be made now
 */
export async function ensureRendition(platen: Platen, blob: StoredBlob, name: string) {
  if (!isRendition(blob, name)) return null;
  const path = pathOnDisk(platen, blob, name);
  // Making the thumbnail also stores the placeholder, which pages show.
  if (!existsSync(path)) for (const one of [THUMBNAIL, name]) await makeOnce(platen, blob, one);
  return existsSync(path) ? path : null;
}

export async function ensureRenditions(platen: Platen, blob: StoredBlob): Promise<void> {
  for (const name of renditionNames(blob)) await makeOnce(platen, blob, name);
}

export function makeThumbnailLater(platen: Platen, blob: StoredBlob): void {
  void makeOnce(platen, blob, THUMBNAIL, { purpose: "thumbnail" });
}

export function areRenditionsMissing(platen: Platen, blob: RenditionSource): boolean {
  return renditionNames(blob).some((name) => isMissing(platen, blob, name));
}

/** A blank thumbnail means that the image could not be decoded. */
export async function thumbnailState(platen: Platen, blob: RenditionSource) {
  if (isMissing(platen, blob, THUMBNAIL)) return "missing";
  const file = Bun.file(pathOnDisk(platen, blob, THUMBNAIL));
  const mayBeBlank = blob.mediaType === "image" && file.size === BLANK_IMAGE.length;
  return mayBeBlank && BLANK_IMAGE.equals(await file.bytes()) ? "blank" : "there";
}

/** Crops are deleted, because they show the old focal point. */
export async function moveFocus(platen: Platen, blob: StoredBlob, x: number, y: number): Promise<void> {
  storeFocus(platen, blob, x, y);
  await deleteCrops(platen, blob);
}

async function deleteCrops(platen: Platen, blob: StoredBlob): Promise<void> {
  for (const { name } of cropsOf(blob)) await rm(pathOnDisk(platen, blob, name), { force: true });
}

/** Crops are made again on request. If a rendition cannot be made, the old one stays. */
export async function remakeRenditions(platen: Platen, blob: StoredBlob): Promise<void> {
  await deleteCrops(platen, blob);
  for (const name of renditionNames(blob)) await makeOnce(platen, blob, name, { isForced: true });
}

/** Jobs by `folder/name`; their promises never reject. Times of failures by folder. */
const states = new WeakMap<Platen, { jobs: Map<string, Promise<void>>; failures: Map<string, number> }>();

/** Concurrent callers share one job. After a failure, nothing is made in the folder for RETRY_DELAY_MS. */
function makeOnce(
  platen: Platen,
  blob: StoredBlob,
  name: string,
  { purpose = "rendition", isForced = false }: { purpose?: Purpose; isForced?: boolean } = {},
): Promise<void> {
  const { jobs, failures } = states.getOrInsertComputed(platen, () => ({
    jobs: new Map(),
    failures: new Map(),
  }));
  const key = `${blob.folder}/${name}`;
  const running = jobs.get(key);
  if (running) return running;
  const failedAt = failures.get(blob.folder) ?? Number.NEGATIVE_INFINITY;
  const isTooSoon = Math.abs(platen.now().getTime() - failedAt) < RETRY_DELAY_MS;
  if (isTooSoon || !(isForced || isMissing(platen, blob, name))) return Promise.resolve();
  const job = makeRendition(platen, blob, name, purpose)
    .then(() => void failures.delete(blob.folder))
    .catch((error) => {
      if (!failures.has(blob.folder))
        platen.log(`Renditions of media/${blob.folder} could not be made and will be retried: ${error}`);
      failures.set(blob.folder, platen.now().getTime());
    })
    .finally(() => jobs.delete(key));
  jobs.set(key, job);
  return job;
}

async function makeRendition(platen: Platen, blob: StoredBlob, name: string, purpose: Purpose) {
  if (!isCurrent(platen, blob)) return;
  const staging = incomingFolder(platen, newFolderName());
  try {
    await mkdir(staging, { recursive: true });
    const from = await sourceOf(platen, blob, staging);
    const smallTask = { need: SMALL_TASK_BYTES, purpose };
    const need = "path" in from ? await runDecoderTask(platen, "measure", from, smallTask) : SMALL_TASK_BYTES;
    const crop = cropNamed(blob, name);
    const width = crop?.scaledWidth ?? widthFromName(name);
    const withPlaceholder = blob.mediaType === "image" && name === THUMBNAIL;
    const input = { from, to: join(staging, name), width, crop, withPlaceholder };
    const placeholder = await runDecoderTask(platen, "shrink", input, { need, purpose });
    await waitForLock(platen);
    if (!isCurrent(platen, blob)) return;
    if (withPlaceholder) storePlaceholder(platen, blob, placeholder ?? "");
    moveIntoPlace(platen, blob, [name], staging);
  } catch (error) {
    if (!isCurrent(platen, blob)) return;
    if (!(error instanceof ImageError)) throw error;
    platen.log(`media/${blob.folder}/${blob.filename} is damaged; a blank image is shown: ${error.message}`);
    const names = [...new Set([...renditionNames(blob), name])].filter((one) => isMissing(platen, blob, one));
    for (const one of names) await writeAtomically(join(staging, one), [BLANK_IMAGE]);
    if (isCurrent(platen, blob)) moveIntoPlace(platen, blob, names, staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function sourceOf(platen: Platen, blob: StoredBlob, staging: string): Promise<ShrinkInput["from"]> {
  if (blob.mediaType === "video" && !blob.hasPoster) return { svg: PLAY_PICTURE };
  const name = blob.mediaType === "image" ? blob.filename : "poster.webp";
  return { path: await localFile(platen, blob, name, join(staging, newFolderName())) };
}

/** Synchronous, so that the blob cannot be deleted meanwhile. No fsync: lost files are made again. */
function moveIntoPlace(platen: Platen, blob: StoredBlob, names: string[], staging: string): void {
  const sizes = mediaFolder(platen, blob.folder, "sizes");
  mkdirSync(sizes, { recursive: true });
  for (const name of names) renameSync(join(staging, name), join(sizes, name));
  chownToFolderOwner(platen.config.data, sizes);
}

function isMissing(platen: Platen, blob: RenditionSource, name: string): boolean {
  return !existsSync(pathOnDisk(platen, blob, name));
}

function pathOnDisk(platen: Platen, blob: RenditionSource, name: string): string {
  return join(mediaFolder(platen, blob.folder), "sizes", name);
}

/** A thumbnail with these bytes marks an image that cannot be decoded. Do not change them. */
const BLANK_IMAGE = Buffer.from(
  "UklGRiwCAABXRUJQVlA4ICACAACwKwCdASqQASwBPm02mUmkIyKhIbdYCIANiWlu4XcnVeAfYD9AJH25WaZS1EjxLFIz4go8W0Cj" +
    "eSgkrFIz4go8W0CjfK7DWpOTuhrUnJ3Q1qTk7oa1Jyd0Nak5O6GtScndDWpOTuhrUnJ3Q1qTk7oa1Jyd0Nak5O6GtScndDWpOTuh" +
    "rT5nsoUMTa1Sy92GtScndDWnzafuhPazhKA66qll7sNak5O6GmIDv8EAelqnAL8PlQA9UsvdhrUnIjBfn8LyQuPLbADt2SR4LvwP" +
    "+UTDak5O6GtScnbKEQES+EidPFECr44LagEhPAAFTTuVMhhBWdMfNTuw1qTk4QZjQQic6FmMIS1EFlahDBsf7l/0W92GtScndDTd" +
    "NkU9g1qTk7oa1Jyd0Nak5O6GtScndDWpOTuhrUnJ3Q1qTk7oa1Jyd0Nak5O6GtScndDWpOTuhrUnJ3Q1qTk7oa1Jyd0Nak5O6GtS" +
    "cnbAAP7/rMvVX4I46xeVVgUfVikarf/VyFV3IAfVjfoq+nSpv/q5Cq641iZZwWQAAYj3ZZm4jTO/Sk6DrQPYx46DhV+aR/hb8+G0" +
    "YKZC0bMoCZoeOn7ojeWMbWUpAlb2eo5ri2n1WIJtzuMVA5zGunHxDS+HlkQ5iMXlFO1f/zCaJ5mzuRWZz7RA56i/w8Wd64Scy4wA" +
    "u+zkOEakAGtZixDJ9osInVbIZfb/QAA4lvZGccucbWcbWcbWcCAA",
  "base64",
);

/** URL path of the image or of the video's poster; null if the file is not in the data folder. */
export function localOriginalPath(platen: Platen, blob: StoredBlob): string | null {
  const isImage = blob.mediaType === "image";
  const file = mediaFolder(platen, blob.folder, isImage ? blob.filename : "poster.webp");
  return existsSync(file) ? (isImage ? mediaPath(blob) : posterPath(blob)) : null;
}
