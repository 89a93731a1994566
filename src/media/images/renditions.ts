import { existsSync, mkdirSync, renameSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { HOUR, SECOND } from "../../config/units";
import { waitForLock } from "../../database/lock-waits";
import { StoreError } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { chownToFolderOwner } from "../../runtime/files";
import { ImageError, type ShrinkInput } from "../decoder/decoder-tasks";
import { type Purpose, runDecoderTask, SMALL_TASK_BYTES } from "../decoder/decoding";
import { isCurrent, type StoredBlob, storeFocus, storePlaceholder } from "../files/blobs";
import { incomingFolder, mediaFolder, newFolderName, writeAtomically } from "../files/media-folder";
import { mediaPath, posterPath } from "../files/media-urls";
import {
  cropNamed,
  cropsOf,
  isRendition,
  jpegScale,
  type RenditionSource,
  renditionNames,
  renditionWidth,
  THUMBNAIL,
  THUMBNAIL_BOX,
  widthFromName,
} from "../files/rendition-sizes";
import { localFile } from "../store/media-store";

/** Thumbnail of a video without a poster. */
const PLAY_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="225" viewBox="0 0 400 225">
<rect width="400" height="225" fill="#3a3f45"/><circle cx="200" cy="112.5" r="48" fill="#fff" fill-opacity=".9"/>
<path d="M184 86v53l46-26.5z" fill="#3a3f45"/></svg>`;

/** First retry delay after a failure such as a full disk. */
const RETRY_DELAY_MS = 30 * SECOND;
const MAX_RETRY_DELAY_MS = HOUR;
/** Retry delay if S3 failed. It is short, because a request to S3 costs little. */
const STORE_RETRY_DELAY_MS = 3 * SECOND;

/**
 * Returns the path of a rendition ("480.webp", "thumb.webp") and makes it if it is missing.
 * @returns null if the blob has no such rendition or it cannot be made now
 */
export async function ensureRendition(
  platen: Platen,
  blob: StoredBlob,
  name: string,
): Promise<string | null> {
  if (!isRendition(blob, name)) return null;
  const group = groupsOf(blob).find((names) => names.includes(name)) ?? [name];
  const path = pathOnDisk(platen, blob, name);
  if (!existsSync(path)) await makeOnce(platen, blob, group);
  return existsSync(path) ? path : null;
}

export async function ensureRenditions(platen: Platen, blob: StoredBlob): Promise<void> {
  for (const group of groupsOf(blob)) if (isMissing(platen, blob, group)) await makeOnce(platen, blob, group);
}

/** Makes the thumbnail in the background. Other renditions are made on request. */
export function makeThumbnailLater(platen: Platen, blob: StoredBlob): void {
  void makeOnce(platen, blob, groupsOf(blob)[0] as string[], { purpose: "thumbnail" });
}

export function areRenditionsMissing(platen: Platen, blob: RenditionSource): boolean {
  return isMissing(platen, blob, renditionNames(blob));
}

export function isThumbnailMissing(platen: Platen, blob: RenditionSource): boolean {
  return isMissing(platen, blob, [THUMBNAIL]);
}

/** Whether the rendition is blank because the image could not be decoded. */
export async function isBlankRendition(platen: Platen, blob: RenditionSource): Promise<boolean> {
  return await isBlankImage(pathOnDisk(platen, blob, THUMBNAIL));
}

/** Moves the focal point and deletes the outdated crops. @param x @param y percent from the left and the top */
export async function moveFocus(platen: Platen, blob: StoredBlob, x: number, y: number): Promise<void> {
  storeFocus(platen, blob, x, y);
  await deleteCrops(platen, blob);
}

async function deleteCrops(platen: Platen, blob: StoredBlob): Promise<void> {
  for (const { name } of cropsOf(blob)) await rm(pathOnDisk(platen, blob, name), { force: true });
}

/** Makes all renditions again. On failure, the old ones stay. */
export async function remakeRenditions(platen: Platen, blob: StoredBlob): Promise<void> {
  await deleteCrops(platen, blob);
  for (const group of groupsOf(blob)) await makeOnce(platen, blob, group, { isForced: true });
}

/**
 * Groups renditions that are made together, the thumbnail's group first. A JPEG has a group per decoding scale, because
 * small scales decode faster. Crops are missing: each is made alone.
 */
function groupsOf(blob: StoredBlob): string[][] {
  const names = renditionNames(blob);
  if (blob.contentType !== "image/jpeg" || blob.atStore) return [names];
  return [...Map.groupBy(names, (name) => jpegScale(blob, widthFromName(name))).values()];
}

/** A failure that the image did not cause, such as a full disk. */
interface Failure {
  at: number;
  wait: number;
  /** Whether S3 cannot be reached or lacks the file. */
  isStoreAway: boolean;
  message: string;
}

interface RenditionState {
  /** folder and first name of the group → running job. The promises never reject. */
  jobs: Map<string, Promise<void>>;
  /** folder → last failure */
  failures: Map<string, Failure>;
}

const states = new WeakMap<Platen, RenditionState>();

/** Runs one job per group, which concurrent callers share. Failures are logged and retried with backoff. */
function makeOnce(
  platen: Platen,
  blob: StoredBlob,
  group: string[],
  { purpose = "rendition", isForced = false }: { purpose?: Purpose; isForced?: boolean } = {},
): Promise<void> {
  const state: RenditionState = states.get(platen) ?? { jobs: new Map(), failures: new Map() };
  states.set(platen, state);
  const { jobs, failures } = state;
  const key = `${blob.folder}/${group[0]}`;
  const job = jobs.get(key);
  if (job) return job;
  const failure = failures.get(blob.folder);
  if (failure && isTooSoon(platen, failure)) return Promise.resolve();
  // The thumbnail's job also makes the placeholder.
  const withThumbnail =
    jobs.has(`${blob.folder}/${THUMBNAIL}`) || group.includes(THUMBNAIL) ? group : [THUMBNAIL, ...group];
  const names = isForced ? group : withThumbnail.filter((name) => isMissing(platen, blob, [name]));
  const newJob = makeRenditions(platen, blob, names, purpose)
    .then(() => void failures.delete(blob.folder))
    .catch((error) => {
      const message = `Renditions of media/${blob.folder} could not be made and will be retried: ${error}`;
      const isStoreAway = error instanceof StoreError;
      const wait = isStoreAway ? STORE_RETRY_DELAY_MS : nextRetryDelay(failure);
      failures.set(blob.folder, { at: platen.now().getTime(), wait, isStoreAway, message });
      if (!isStoreAway || failure?.message !== message) platen.log(message);
    })
    .finally(() => jobs.delete(key));
  jobs.set(key, newJob);
  return newJob;
}

function nextRetryDelay(last: Failure | undefined): number {
  return Math.min(last ? last.wait * 2 : RETRY_DELAY_MS, MAX_RETRY_DELAY_MS);
}

function isTooSoon(platen: Platen, { at, wait }: Failure): boolean {
  const now = platen.now().getTime();
  return now >= at && now < at + wait;
}

/** Makes renditions in a staging folder and then moves them, unless the blob was deleted in the meantime. */
async function makeRenditions(
  platen: Platen,
  blob: StoredBlob,
  names: string[],
  purpose: Purpose,
): Promise<void> {
  if (names.length === 0 || !isCurrent(platen, blob)) return;
  const staging = incomingFolder(platen, newFolderName());
  try {
    await mkdir(staging, { recursive: true });
    const from = await sourceOf(platen, blob, staging);
    const { made, placeholder } = await shrinkOrBlank(platen, blob, {
      from,
      names,
      purpose,
      folder: staging,
    });
    await waitForLock(platen);
    if (!isCurrent(platen, blob)) return;
    if (blob.mediaType === "image" && made.includes(THUMBNAIL)) storePlaceholder(platen, blob, placeholder);
    moveIntoPlace(platen, blob, made, staging);
  } catch (error) {
    if (isCurrent(platen, blob)) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Returns the seconds until a retry of a missing rendition, and whether S3 is the reason. */
export function renditionRetry(
  platen: Platen,
  { folder }: StoredBlob,
): { seconds: number; isStoreAway: boolean } {
  const failure = states.get(platen)?.failures.get(folder);
  if (!failure) return { seconds: 1, isStoreAway: false };
  const seconds = Math.ceil((failure.at + failure.wait - platen.now().getTime()) / SECOND);
  return { seconds: Math.max(1, seconds), isStoreAway: failure.isStoreAway };
}

interface RenditionInput {
  from: ShrinkInput["from"];
  names: string[];
  purpose: Purpose;
  folder: string;
}

/** @returns names of the files made; for a damaged image, blanks in all sizes */
async function shrinkOrBlank(
  platen: Platen,
  blob: StoredBlob,
  { from, names, purpose, folder }: RenditionInput,
): Promise<{ made: string[]; placeholder: string | null }> {
  const sizes = sizesNamed(blob, names);
  const withPlaceholder = blob.mediaType === "image" && names.includes(THUMBNAIL);
  try {
    const need =
      "path" in from
        ? await runDecoderTask(platen, "measure", from, { need: SMALL_TASK_BYTES, purpose })
        : SMALL_TASK_BYTES;
    const input = { from, sizes, folder, withPlaceholder };
    return { made: names, placeholder: await runDecoderTask(platen, "shrink", input, { need, purpose }) };
  } catch (error) {
    if (!(error instanceof ImageError) || !isCurrent(platen, blob)) throw error;
    platen.log(`media/${blob.folder}/${blob.filename} is damaged; a blank image is shown: ${error.message}`);
    const all = [...new Set([...renditionNames(blob), ...names])];
    await writeBlankImages(platen, all, folder);
    return { made: all, placeholder: null };
  }
}

function sizesNamed(blob: StoredBlob, names: string[]): ShrinkInput["sizes"] {
  return names.map((name) => {
    const crop = cropNamed(blob, name);
    return crop ? { name, width: crop.scaledWidth, crop } : { name, width: widthFromName(name) };
  });
}

/** @param staging folder for a copy from S3 */
async function sourceOf(platen: Platen, blob: StoredBlob, staging: string): Promise<ShrinkInput["from"]> {
  if (blob.mediaType === "video" && !blob.hasPoster) return { svg: PLAY_PICTURE };
  const name = blob.mediaType === "image" ? blob.filename : "poster.webp";
  return { path: await localFile(platen, blob, name, join(staging, newFolderName())) };
}

/**
 * Moves renditions into their folder. Synchronous, so that the blob cannot be deleted in between. No fsync: files lost
 * in a power failure are made again.
 */
function moveIntoPlace(platen: Platen, blob: StoredBlob, names: string[], staging: string): void {
  const sizes = mediaFolder(platen, blob.folder, "sizes");
  mkdirSync(sizes, { recursive: true });
  for (const name of names) renameSync(join(staging, name), join(sizes, name));
  chownToFolderOwner(platen.config.data, sizes);
}

function isMissing(platen: Platen, blob: RenditionSource, names: string[]): boolean {
  return names.some((name) => !existsSync(pathOnDisk(platen, blob, name)));
}

function pathOnDisk(platen: Platen, blob: RenditionSource, name: string): string {
  return join(mediaFolder(platen, blob.folder), "sizes", name);
}

/** Image shown instead of one that cannot be decoded, because pages link to its renditions. */
const BLANK_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" viewBox="0 0 400 300">
<rect width="400" height="300" fill="#d7d9dc"/>
<path d="M150 185l35-45 25 30 15-18 25 33z" fill="#fff"/><circle cx="225" cy="120" r="12" fill="#fff"/></svg>`;

/** Has constant bytes, so that `isBlankImage` recognizes it. */
const BLANK_THUMBNAIL = Buffer.from(
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

/** @param names renditions to write, one of them the thumbnail */
async function writeBlankImages(platen: Platen, names: string[], folder: string): Promise<void> {
  const wide = names.filter((name) => name !== THUMBNAIL);
  const sizes = wide.map((name) => ({ name, width: widthFromName(name) }));
  const input = { from: { svg: BLANK_PICTURE }, sizes, folder, withPlaceholder: false };
  if (wide.length > 0) await runDecoderTask(platen, "shrink", input, { need: SMALL_TASK_BYTES });
  await writeAtomically(join(folder, THUMBNAIL), [BLANK_THUMBNAIL]);
}

async function isBlankImage(thumbnail: string): Promise<boolean> {
  const file = Bun.file(thumbnail);
  if (file.size !== BLANK_THUMBNAIL.length) return false;
  return BLANK_THUMBNAIL.equals(await file.bytes());
}

/** Returns the URL path of the closest available size, for a rendition that cannot be made; null if there is none. */
export function nearestRenditionPath(
  platen: Platen,
  blob: StoredBlob,
  name: string,
  { isStoreAway }: { isStoreAway: boolean },
): string | null {
  const isHere = (...below: string[]) => existsSync(mediaFolder(platen, blob.folder, ...below));
  const sizes = renditionNames(blob)
    .filter((size) => isHere("sizes", size))
    .map((size) => ({ path: `/media/${blob.folder}/sizes/${size}`, width: renditionWidth(blob, size) }));
  const original = originalPicture(blob);
  const isOriginalAvailable = original && (isHere(original.file) || (blob.atStore !== null && !isStoreAway));
  const targetWidth = renditionWidth(blob, name);
  const ratioTo = ({ width }: { width: number }) => Math.max(width / targetWidth, targetWidth / width);
  const available = [...sizes, ...(isOriginalAvailable ? [original] : [])];
  return available.toSorted((one, other) => ratioTo(one) - ratioTo(other))[0]?.path ?? null;
}

/** @returns null for a video without poster */
function originalPicture(blob: StoredBlob): { file: string; path: string; width: number } | null {
  const width = blob.width ?? THUMBNAIL_BOX;
  if (blob.mediaType === "image") return { file: blob.filename, path: mediaPath(blob), width };
  const path = posterPath(blob);
  return path === null ? null : { file: "poster.webp", path, width };
}
