import { renameSync } from "node:fs";
import { mkdir, open, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { MEGABYTE } from "../config/units";
import { blobs, formerMedia } from "../database/schema";
import { inTransaction, waitForLock } from "../database/transactions";
import { busy, conflict, invalid, notFound } from "../errors";
import { DamagedObject, MissingObject, StoreFault } from "../outgoing/bucket";
import type { Platen } from "../platen";
import { assertDiskSpace } from "../runtime/disk-space";
import { syncPath } from "../runtime/files";
import { collectGarbageAfter } from "../runtime/garbage-collection";
import { firstFree } from "../text/unused-name";
import { queueFolderDeletion } from "./deleting-media";
import { blobWithId, isFilenameTaken, type StoredBlob } from "./files/blobs";
import { detectFormat, FORMAT_ERROR, type Format, MAX_FILE_BYTES, SNIFF_BYTES } from "./files/file-formats";
import { numberFilename, tidyFilename } from "./files/filenames";
import {
  incomingFolder,
  mediaFolder,
  newFolderName,
  writeAtomically,
  writeFully,
} from "./files/media-folder";
import { readUploadedImage, writePoster } from "./images/uploaded-images";
import { fileBytes } from "./store/reading-files";
import { queueObjectDeletion } from "./store/unwanted-objects";

/** A whole upload in the incoming folder. Whoever has it must call `storeUpload` or `discardUpload`. */
export interface ReceivedFile extends Measured {
  readonly path: string;
  readonly clientName: string;
}

interface Measured {
  readonly format: Format;
  readonly byteSize: number;
  /** Hex. */
  readonly sha256: string;
}

/**
 * Streams an upload to the incoming folder and tells its type by its first bytes; holds one chunk in memory at a time.
 * @param field the form field that a refusal names
 * @throws Refusal for a wrong type, too large a file, a full disk; then, and when the stream breaks, nothing is left
 */
export async function receiveUpload(
  platen: Platen,
  stream: AsyncIterable<Uint8Array>,
  clientName: string,
  field: "file" | "poster" = "file",
): Promise<ReceivedFile> {
  assertDiskSpace(platen);
  await mkdir(incomingFolder(platen), { recursive: true });
  const path = incomingFolder(platen, newFolderName());
  try {
    const measured = await writeStream(stream, path, field);
    return { path, clientName, ...measured };
  } catch (fault) {
    await takeAway(path);
    throw fault;
  }
}

export async function discardUpload(received: ReceivedFile): Promise<void> {
  await takeAway(received.path);
}

/** Unlike `rm` it opens no file for that: perhaps none can be opened, and a film would lie there until the next start. */
async function takeAway(path: string): Promise<void> {
  await unlink(path).catch((fault) => {
    if (!isGone(fault)) throw fault;
  });
}

async function writeStream(
  stream: AsyncIterable<Uint8Array>,
  path: string,
  field: string,
): Promise<Measured> {
  const hash = new Bun.CryptoHasher("sha256");
  const file = await open(path, "wx");
  let head = Buffer.alloc(0);
  let format: Format | undefined;
  let byteSize = 0;
  try {
    for await (const chunk of stream) {
      byteSize += chunk.length;
      if (head.length < SNIFF_BYTES)
        head = Buffer.concat([head, chunk.subarray(0, SNIFF_BYTES - head.length)]);
      if (head.length === SNIFF_BYTES) format ??= formatOf(head, field);
      if (format) refuseTooLarge(format, byteSize, field);
      hash.update(chunk);
      await writeFully(file, chunk);
      collectGarbageAfter(chunk.length);
    }
    format ??= formatOf(head, field);
    await file.sync();
    return { format, byteSize, sha256: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

function formatOf(head: Uint8Array, field: string): Format {
  if (head.length === 0) throw invalid({ [field]: ["is empty"] });
  const format = detectFormat(head);
  if (!format) throw invalid({ [field]: [FORMAT_ERROR] });
  return format;
}

function refuseTooLarge(format: Format, byteSize: number, field: string): void {
  const limit = MAX_FILE_BYTES[format.mediaType];
  if (byteSize <= limit) return;
  const article = format.mediaType === "image" ? "an image" : "a video";
  throw invalid({ [field]: [`is too large: ${article} may have at most ${limit / MEGABYTE} MB`] });
}

/**
 * Makes a received file part of a blog: strips its metadata, moves it into its folder, inserts its row. The received files
 * are gone afterwards, whether it succeeds or not; where it does not, nothing is left on disk.
 * @param onStored is called with the new row inside the transaction that inserts it: both are kept, or neither
 * @throws Refusal naming `file` or `poster`: damaged, too many pixels, a poster that is none
 */
export function storeUpload(
  platen: Platen,
  blog: { id: number },
  received: ReceivedFile,
  extras: { caption?: string; poster?: ReceivedFile } = {},
  onStored: (blob: StoredBlob) => void = () => {},
): Promise<StoredBlob> {
  return storedBy(platen, received, { poster: extras.poster }, (file, moveInto) => {
    const filename = freeFilename(platen, blog.id, tidyFilename(received.clientName, received.format));
    moveInto(filename);
    const more = { blogId: blog.id, filename, caption: extras.caption ?? "" };
    const blob = platen.db
      .insert(blobs)
      .values({ ...file, ...more })
      .returning()
      .get();
    onStored(blob);
    return blob;
  });
}

/**
 * Puts a received file in the place of one that is there, whose id and caption it takes over, and its name but for the
 * extension of another type; a video keeps its poster. Its address is another, to which the former one leads. The former
 * file is deleted as in `deleteBlobs`.
 * @param onStored is called with the changed row inside the transaction that changes it
 * @throws Refusal naming `file`: damaged, too many pixels, an image for a video; missing, where the file is
 * gone; conflict, where another took its place meanwhile; busy, where its poster is at a store that cannot be reached
 */
export async function replaceUpload(
  platen: Platen,
  former: StoredBlob,
  received: ReceivedFile,
  onStored: (blob: StoredBlob) => void,
): Promise<StoredBlob> {
  return await storedBy(platen, received, { former }, (file, moveInto) => {
    if (file.mediaType !== former.mediaType)
      throw invalid({ file: [`must be ${former.mediaType === "image" ? "an image" : "a video"} as well`] });
    const now = blobWithId(platen, former.id);
    if (!now) throw notFound("file");
    if (now.folder !== former.folder)
      throw conflict(
        "This file was replaced by another one meanwhile. Look at that first, and then try again.",
      );
    queueObjectDeletion(platen, now);
    queueFolderDeletion(platen, former.folder);
    const wanted = tidyFilename(former.filename, received.format);
    const filename = wanted === former.filename ? wanted : freeFilename(platen, former.blogId, wanted);
    moveInto(filename);
    platen.db.insert(formerMedia).values({ folder: former.folder, blobId: former.id }).run();
    const changed = platen.db
      .update(blobs)
      .set({ ...file, filename, placeholder: "", atStore: null })
      .where(eq(blobs.id, former.id))
      .returning()
      .get() as StoredBlob;
    onStored(changed);
    return changed;
  });
}

/** What a row says of the file alone, whoever's it is and whatever it is called. */
type FileColumns = Omit<typeof blobs.$inferInsert, "id" | "blogId" | "filename" | "caption" | "placeholder">;

/** Where a video's poster comes from: what was received with it, or the video that it replaces. */
interface Posters {
  poster?: ReceivedFile;
  former?: StoredBlob;
}

/** @param keep is called in the transaction; moves the file to where it is served by this name, and writes the row */
async function storedBy(
  platen: Platen,
  received: ReceivedFile,
  { poster, former }: Posters,
  keep: (file: FileColumns, moveInto: (filename: string) => void) => StoredBlob,
): Promise<StoredBlob> {
  const folder = newFolderName();
  const staging = incomingFolder(platen, folder);
  try {
    if (poster) refuseWrongPoster(received, poster);
    await mkdir(staging);
    const picture = await prepareFiles(platen, received, staging);
    const hasPoster = await preparePoster(platen, received, { poster, former }, join(staging, POSTER));
    const { mediaType, contentType } = received.format;
    await waitForLock(platen);
    return inTransaction(platen, () => {
      const file = { ...picture, folder, mediaType, contentType, hasPoster };
      return keep({ ...file, createdAt: platen.now() }, (name) => moveIntoPlace(platen, folder, name));
    });
  } catch (fault) {
    await rm(staging, { recursive: true, force: true });
    await rm(mediaFolder(platen, folder), { recursive: true, force: true });
    throw fault;
  } finally {
    await discardUpload(received);
    if (poster) await discardUpload(poster);
  }
}

function refuseWrongPoster(received: ReceivedFile, poster: ReceivedFile): void {
  if (received.format.mediaType !== "video")
    throw invalid({ poster: ["belongs to a video, and the file is an image"] });
  if (poster.format.mediaType !== "image") throw invalid({ poster: ["must be an image"] });
}

const POSTER = "poster.webp";

/** @returns whether there is one */
async function preparePoster(
  platen: Platen,
  { format }: ReceivedFile,
  { poster, former }: Posters,
  to: string,
): Promise<boolean> {
  if (poster) await writePoster(platen, poster, to);
  if (poster || !former?.hasPoster || format.mediaType !== "video") return poster !== undefined;
  try {
    await writeAtomically(to, await Array.fromAsync(await fileBytes(platen, former, POSTER)));
    return true;
  } catch (fault) {
    if (isGone(fault)) return false;
    if (!(fault instanceof StoreFault)) throw fault;
    throw busy("The video's poster is at a store that cannot be reached just now. Try again later.", 30);
  }
}

/** It was lost before. */
function isGone(fault: unknown): boolean {
  if (fault instanceof MissingObject || fault instanceof DamagedObject) return true;
  return fault instanceof Error && "code" in fault && fault.code === "ENOENT";
}

/** The name of the file to be served, before its own is known to be free. */
const STAGED = ".public";
/** The upload as it came, kept where the served file is another; never served. */
const ORIGINAL = ".original";

/** Writes what the blob's folder will hold, renditions apart, into the staging folder. @returns the row's columns about the served file */
async function prepareFiles(
  platen: Platen,
  received: ReceivedFile,
  staging: string,
): Promise<Pick<StoredBlob, "byteSize" | "sha256" | "width" | "height" | "isAnimated">> {
  const { path, format, byteSize, sha256 } = received;
  const served = join(staging, STAGED);
  if (format.mediaType === "video") {
    await rename(path, served);
    return { byteSize, sha256, width: null, height: null, isAnimated: false };
  }
  return await readUploadedImage(platen, received, served, join(staging, ORIGINAL));
}

/** To be called inside the transaction that inserts the row, so that no row is seen without its file. Synchronous for that. */
function moveIntoPlace(platen: Platen, folder: string, filename: string): void {
  const staging = incomingFolder(platen, folder);
  renameSync(join(staging, STAGED), join(staging, filename));
  syncPath(staging);
  renameSync(staging, mediaFolder(platen, folder));
  syncPath(mediaFolder(platen));
}

function freeFilename(platen: Platen, blogId: number, wanted: string): string {
  return firstFree(
    (number) => (number === 1 ? wanted : numberFilename(wanted, number)),
    (filename) => isFilenameTaken(platen, blogId, filename),
  );
}
