import { existsSync, mkdirSync, renameSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { turnToWrite } from "../../database/transactions";
import type { Platen } from "../../platen";
import { PictureFault, type Shrinking } from "../decoder/decoder-tasks";
import { decoded, LITTLE } from "../decoder/decoding";
import { blobWithId, type StoredBlob } from "../files/blobs";
import { incomingFolder, mediaFolder, newFolderName } from "../files/media-folder";
import { localFile } from "../store/file-reading";
import { isBlank, writeBlanks } from "./blank-sizes";
import { storePlaceholder } from "./placeholders";
import { renditionWidths, type Sized } from "./rendition-widths";

const THUMBNAIL = "thumb.webp";

/** The thumbnail of a video without a poster. */
const PLAY_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="225" viewBox="0 0 400 225">
<rect width="400" height="225" fill="#3a3f45"/><circle cx="200" cy="112.5" r="48" fill="#fff" fill-opacity=".9"/>
<path d="M184 86v53l46-26.5z" fill="#3a3f45"/></svg>`;

const SECOND = 1000;
/** After sizes could not be made, for a full disk say; doubled with every failure up to the longest. */
const TRIED_AGAIN_AFTER = 30 * SECOND;
const TRIED_AGAIN_AT_THE_LATEST = 3600 * SECOND;

/**
 * The path on disk of a rendition ("480.webp", "thumb.webp"), which is made now where it is missing.
 * @returns null where the blob has none of that name, or it cannot be made just now: see `isRendition`
 */
export async function ensureRendition(
  platen: Platen,
  blob: StoredBlob,
  name: string,
): Promise<string | null> {
  if (!isRendition(blob, name)) return null;
  const path = pathOnDisk(platen, blob, name);
  if (!existsSync(path)) await renditionsOnce(platen, blob)[name === THUMBNAIL ? "thumbnail" : "all"];
  return existsSync(path) ? path : null;
}

/** Makes those that are missing. */
export async function ensureRenditions(platen: Platen, blob: StoredBlob): Promise<void> {
  if (missingRenditions(platen, blob).length > 0) await renditionsOnce(platen, blob).all;
}

export function isRendition(blob: StoredBlob, name: string): boolean {
  return renditionNames(blob).includes(name);
}

/** Makes all renditions in the background. */
export function makeRenditionsLater(platen: Platen, blob: StoredBlob): void {
  renditionsOnce(platen, blob, { isUrgent: false });
}

/** The names of those that are not on disk. */
export function missingRenditions(platen: Platen, blob: Sized): string[] {
  return renditionNames(blob).filter((name) => !existsSync(pathOnDisk(platen, blob, name)));
}

/** Whether blanks stand in their place: the picture could not be decoded. */
export async function isShownAsBlank(platen: Platen, blob: Sized): Promise<boolean> {
  return await isBlank(pathOnDisk(platen, blob, THUMBNAIL));
}

/** Makes all renditions anew, also those that are there. Where that fails, those that are there stay. */
export async function remakeRenditions(platen: Platen, blob: StoredBlob): Promise<void> {
  await renditionsOnce(platen, blob, { names: renditionNames(blob) }).all;
}

/** Sizes that could not be made, for a reason that is not the picture's. */
interface Failure {
  /** Milliseconds since 1970. */
  at: number;
  /** In milliseconds. */
  wait: number;
}

/** Sizes that are being made: none of these rejects. */
interface Job {
  /** There before the others where that is possible; else with them. */
  thumbnail: Promise<void>;
  all: Promise<void>;
}

/** Folders of blobs → what is going on with their sizes. */
interface Making {
  jobs: Map<string, Job>;
  failures: Map<string, Failure>;
}

const makingOf = new WeakMap<Platen, Making>();

/**
 * One job per blob at a time: whoever asks meanwhile gets the same. Failures go to the log, and nothing is tried again too
 * soon.
 */
function renditionsOnce(
  platen: Platen,
  blob: StoredBlob,
  { isUrgent = true, names }: { isUrgent?: boolean; names?: string[] } = {},
): Job {
  const making = makingOf.get(platen) ?? { jobs: new Map(), failures: new Map() };
  makingOf.set(platen, making);
  const { jobs, failures } = making;
  const job = jobs.get(blob.folder);
  if (job) return job;
  const failure = failures.get(blob.folder);
  if (failure && isTooSoon(platen, failure)) return { thumbnail: Promise.resolve(), all: Promise.resolve() };
  const thumbnail = Promise.withResolvers<void>();
  const asked = { names: names ?? missingRenditions(platen, blob), isUrgent, onThumbnail: thumbnail.resolve };
  const all = make(platen, blob, asked)
    .then(() => void failures.delete(blob.folder))
    .catch((fault) => {
      const wait = Math.min(failure ? failure.wait * 2 : TRIED_AGAIN_AFTER, TRIED_AGAIN_AT_THE_LATEST);
      failures.set(blob.folder, { at: platen.now().getTime(), wait });
      platen.log(`The sizes of media/${blob.folder} cannot be made now, and are tried again later: ${fault}`);
    })
    .finally(() => jobs.delete(blob.folder));
  const started = { thumbnail: Promise.race([thumbnail.promise, all]), all };
  jobs.set(blob.folder, started);
  return started;
}

function isTooSoon(platen: Platen, { at, wait }: Failure): boolean {
  const now = platen.now().getTime();
  return now >= at && now < at + wait;
}

interface Asked {
  names: string[];
  isUrgent: boolean;
  onThumbnail: () => void;
}

/**
 * Beside the blob's folder first, so that none is there in part. Of a JPEG, which is decoded small in a third of the time,
 * the thumbnail comes before the others. The blob may be deleted meanwhile: then nothing is left.
 */
async function make(
  platen: Platen,
  blob: StoredBlob,
  { names, isUrgent, onThumbnail }: Asked,
): Promise<void> {
  if (names.length === 0 || isDeleted(platen, blob)) return;
  const staging = incomingFolder(platen, newFolderName());
  try {
    await mkdir(staging, { recursive: true });
    const from = await sourceOf(platen, blob, staging);
    for (const part of partsOf(blob, names)) {
      const asked = { from, part, names, isUrgent, folder: staging };
      const { made, placeholder } = await shrunk(platen, blob, asked);
      await turnToWrite(platen);
      if (isDeleted(platen, blob)) return;
      if (blob.mediaType === "image" && made.includes(THUMBNAIL)) storePlaceholder(platen, blob, placeholder);
      moveIntoPlace(platen, blob, made, staging);
      onThumbnail();
      if (made === names) return;
    }
  } catch (fault) {
    if (!isDeleted(platen, blob)) throw fault;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function partsOf({ contentType }: StoredBlob, names: string[]): string[][] {
  const others = names.filter((name) => name !== THUMBNAIL);
  const isApart = contentType === "image/jpeg" && others.length > 0 && others.length < names.length;
  return isApart ? [[THUMBNAIL], others] : [names];
}

/** Or replaced, which gives it another folder. */
function isDeleted(platen: Platen, { id, folder }: StoredBlob): boolean {
  return blobWithId(platen, id)?.folder !== folder;
}

interface Part {
  from: Shrinking["from"];
  part: string[];
  /** All that are made. */
  names: string[];
  isUrgent: boolean;
  folder: string;
}

/** @returns what was made: of a picture that cannot be decoded, blanks of all names */
async function shrunk(
  platen: Platen,
  blob: StoredBlob,
  { from, part, names, isUrgent, folder }: Part,
): Promise<{ made: string[]; placeholder: string | null }> {
  const sizes = sizesNamed(part);
  const widest = sizes.some(({ width }) => width !== null) ? (renditionWidths(blob).at(-1) ?? null) : null;
  const withPlaceholder = blob.mediaType === "image" && part.includes(THUMBNAIL);
  try {
    const need = "path" in from ? await decoded(platen, "measure", from, { need: LITTLE, isUrgent }) : LITTLE;
    const asked = { from, widest, sizes, folder, withPlaceholder };
    return { made: part, placeholder: await decoded(platen, "shrink", asked, { need, isUrgent }) };
  } catch (fault) {
    if (!(fault instanceof PictureFault) || isDeleted(platen, blob)) throw fault;
    platen.log(`media/${blob.folder}/${blob.filename} is damaged and shown as a blank: ${fault.message}`);
    await writeBlanks(platen, sizesNamed(names), folder);
    return { made: names, placeholder: null };
  }
}

function sizesNamed(names: string[]): Shrinking["sizes"] {
  return names.map((name) => ({ name, width: name === THUMBNAIL ? null : Number.parseInt(name, 10) }));
}

/** @param staging where a file that is at the store is fetched to */
async function sourceOf(platen: Platen, blob: StoredBlob, staging: string): Promise<Shrinking["from"]> {
  if (blob.mediaType === "video" && !blob.hasPoster) return { svg: PLAY_PICTURE };
  const name = blob.mediaType === "image" ? blob.filename : "poster.webp";
  return { path: await localFile(platen, blob, name, staging) };
}

/** What a power cut takes of this is made again. Synchronous: a blob that is not deleted before it is not deleted in the middle of it. */
function moveIntoPlace(platen: Platen, blob: StoredBlob, names: string[], staging: string): void {
  const sizes = mediaFolder(platen, blob.folder, "sizes");
  mkdirSync(sizes, { recursive: true });
  for (const name of names) renameSync(join(staging, name), join(sizes, name));
}

function renditionNames(blob: Sized): string[] {
  return [THUMBNAIL, ...renditionWidths(blob).map((width) => `${width}.webp`)];
}

function pathOnDisk(platen: Platen, blob: Sized, name: string): string {
  return join(mediaFolder(platen, blob.folder), "sizes", name);
}
