import { renameSync } from "node:fs";
import { mkdir, open, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { firstFree } from "../blogs/slug";
import { MEGABYTE } from "../config/units";
import { insertRow, updateRow } from "../database/rows";
import { blobs, formerMedia } from "../database/schema";
import { inTransaction, waitForLock } from "../database/transactions";
import { busy, conflict, errorCode, invalid, requireFound } from "../errors";
import { DamagedObject, MissingObject, StoreError } from "../outgoing/bucket";
import type { Platen } from "../platen";
import { assertDiskSpace } from "../runtime/disk-space";
import { chownToFolderOwner, syncPath } from "../runtime/files";
import { collectGarbageAfter } from "../runtime/garbage-collection";
import { queueFolderDeletion } from "./deleting-media";
import { blobWithId, isFilenameTaken, type StoredBlob } from "./files/blobs";
import type { Format } from "./files/file-formats-and-limits";
import { detectFormat, FORMAT_ERROR, MAX_FILE_BYTES, SNIFF_BYTES } from "./files/file-formats-and-limits";
import {
  incomingFolder,
  makeIncomingFolder,
  mediaFolder,
  newFolderName,
  writeAtomically,
  writeFully,
} from "./files/media-folder";
import { fileBytes, queueObjectDeletion } from "./files/media-store";
import { readUploadedImage, writePoster } from "./uploaded-images";

interface Measured {
  readonly format: Format;
  readonly byteSize: number;
  readonly sha256: string;
}

/** Stays in the incoming folder until it is stored or discarded. */
export interface ReceivedFile extends Measured {
  readonly path: string;
  readonly clientName: string;
}

const MEDIA_NOUNS = { image: "an image", video: "a video" };
const POSTER_ERROR = "must be an image";

/**
 * @param field form field named in errors
 * @throws Refusal for a wrong format or size, or a full disk; nothing stays on disk
 */
export async function receiveUpload(
  platen: Platen,
  stream: AsyncIterable<Uint8Array>,
  clientName: string,
  field: "file" | "poster" = "file",
): Promise<ReceivedFile> {
  assertDiskSpace(platen);
  await makeIncomingFolder(platen);
  const path = incomingFolder(platen, newFolderName());
  try {
    return { path, clientName, ...(await writeStream(stream, path, field)) };
  } catch (error) {
    await discardUpload({ path });
    throw error;
  }
}

/** Unlike `rm`, `unlink` needs no free file descriptor. */
export async function discardUpload({ path }: Pick<ReceivedFile, "path">): Promise<void> {
  await unlink(path).catch((error) => {
    if (errorCode(error) !== "ENOENT") throw error;
  });
}

async function writeStream(stream: AsyncIterable<Uint8Array>, path: string, field: string) {
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
      if (format) assertSize(format, byteSize, field);
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
  if (!format) throw invalid({ [field]: [field === "poster" ? POSTER_ERROR : FORMAT_ERROR] });
  return format;
}

function assertSize(format: Format, byteSize: number, field: string): void {
  const limit = MAX_FILE_BYTES[format.mediaType];
  if (byteSize <= limit) return;
  const limited = `${MEDIA_NOUNS[format.mediaType]} can be at most ${limit / MEGABYTE} MB`;
  throw invalid({ [field]: [`is too large: ${limited}`] });
}

/**
 * The received files are moved or deleted, even on failure.
 * @param onStored runs in the transaction
 * @throws Refusal: invalid for `file` or `poster`; throttled; busy
 */
export function storeUpload(
  platen: Platen,
  blog: { id: number },
  received: ReceivedFile,
  extras: { caption?: string; poster?: ReceivedFile } = {},
  onStored: (blob: StoredBlob) => void = () => {},
): Promise<StoredBlob> {
  return storeFiles(platen, received, extras, (file, moveInto) => {
    const filename = freeFilename(platen, blog.id, tidyFilename(received.clientName, received.format));
    moveInto(filename);
    const values = { ...file, blogId: blog.id, filename, caption: extras.caption ?? "" };
    const blob = insertRow(platen, blobs, values);
    onStored(blob);
    return blob;
  });
}

/**
 * Id and caption stay. A new format changes the filename's extension. A video keeps its poster if that still
 * exists.
 * @param onStored runs in the transaction
 * @throws Refusal, for example conflict if someone else replaced the file
 */
export async function replaceUpload(
  platen: Platen,
  previous: StoredBlob,
  received: ReceivedFile,
  onStored: (blob: StoredBlob) => void,
): Promise<StoredBlob> {
  return await storeFiles(platen, received, { previous }, (file, moveInto) => {
    if (file.mediaType !== previous.mediaType)
      throw invalid({ file: [`must be ${MEDIA_NOUNS[previous.mediaType]}, like the file it replaces`] });
    const current = requireFound(blobWithId(platen, previous.id), "file");
    if (current.folder !== previous.folder)
      throw conflict("This file has been replaced by another one. Look at the new file, then try again.");
    queueObjectDeletion(platen, current);
    queueFolderDeletion(platen, previous.folder);
    const tidyName = tidyFilename(previous.filename, received.format);
    const filename =
      tidyName === previous.filename ? tidyName : freeFilename(platen, previous.blogId, tidyName);
    moveInto(filename);
    insertRow(platen, formerMedia, { folder: previous.folder, blobId: previous.id });
    const changes = { ...file, filename, placeholder: "", atStore: null };
    const changed = updateRow(platen, blobs, { id: previous.id }, changes) as StoredBlob;
    onStored(changed);
    return changed;
  });
}

type FileColumns = Omit<typeof blobs.$inferInsert, "id" | "blogId" | "filename" | "caption" | "placeholder">;

interface Posters {
  poster?: ReceivedFile;
  previous?: StoredBlob;
}

const STAGED = ".public";
/** The upload (HEIC: as JPEG) if another file is served. Never public, because it has metadata. */
const ORIGINAL = ".original";
const POSTER = "poster.webp";

async function storeFiles(
  platen: Platen,
  received: ReceivedFile,
  posters: Posters,
  insert: (file: FileColumns, moveInto: (filename: string) => void) => StoredBlob,
): Promise<StoredBlob> {
  const folder = newFolderName();
  const staging = incomingFolder(platen, folder);
  const { mediaType, contentType } = received.format;
  try {
    await mkdir(staging);
    const hasPoster = await preparePoster(platen, mediaType, posters, join(staging, POSTER));
    const served = await prepareFiles(platen, received, staging);
    await waitForLock(platen);
    return inTransaction(platen, () => {
      const file = { ...served, folder, mediaType, contentType, hasPoster, createdAt: platen.now() };
      return insert(file, (name) => moveIntoPlace(platen, folder, name));
    });
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    await rm(mediaFolder(platen, folder), { recursive: true, force: true });
    throw error;
  } finally {
    await discardUpload(received);
    if (posters.poster) await discardUpload(posters.poster);
  }
}

async function preparePoster(
  platen: Platen,
  mediaType: Format["mediaType"],
  { poster, previous }: Posters,
  to: string,
): Promise<boolean> {
  if (poster) {
    if (mediaType !== "video") throw invalid({ poster: ["is only allowed for videos"] });
    if (poster.format.mediaType !== "image") throw invalid({ poster: [POSTER_ERROR] });
    await writePoster(platen, poster, to);
    return true;
  }
  if (!previous?.hasPoster || mediaType !== "video") return false;
  try {
    await writeAtomically(to, await Array.fromAsync(await fileBytes(platen, previous, POSTER)));
    return true;
  } catch (error) {
    if (error instanceof MissingObject || error instanceof DamagedObject || errorCode(error) === "ENOENT")
      return false;
    if (!(error instanceof StoreError)) throw error;
    throw busy("The video's poster is in S3, which cannot be reached. Try again later.", 30);
  }
}

async function prepareFiles(platen: Platen, received: ReceivedFile, staging: string) {
  const { path, format, byteSize, sha256 } = received;
  const served = join(staging, STAGED);
  if (format.mediaType === "image")
    return await readUploadedImage(platen, received, served, join(staging, ORIGINAL));
  await rename(path, served);
  return { byteSize, sha256, width: null, height: null, isAnimated: false };
}

/** Synchronous, because the transaction that inserts the row calls this function. */
function moveIntoPlace(platen: Platen, folder: string, filename: string): void {
  const staging = incomingFolder(platen, folder);
  renameSync(join(staging, STAGED), join(staging, filename));
  chownToFolderOwner(platen.config.data, staging);
  syncPath(staging);
  renameSync(staging, mediaFolder(platen, folder));
  syncPath(mediaFolder(platen));
}

function freeFilename(platen: Platen, blogId: number, filename: string): string {
  const { stem, extension } = splitFilename(filename);
  return firstFree(
    (number) => joinFilename(stem, extension, number === 1 ? "" : `-${number}`),
    (name) => isFilenameTaken(platen, blogId, name),
  );
}

/** UTF-8 bytes, with extension and number. File systems allow 255. */
const MAX_FILENAME_BYTES = 150;

/** The result is never empty, hidden or a path. */
export function tidyFilename(clientName: string, format: Format): string {
  // Browsers and curl encode a quote as %22 (WHATWG HTML, multipart/form-data).
  const base = clientName
    .replaceAll("%22", '"')
    .replace(/^.*[/\\]/s, "")
    .normalize("NFC");
  // Category C includes control characters, direction marks, and lone surrogates, which a URL cannot contain.
  const shown = base.replace(/\p{C}/gu, "").replace(/\s+/g, " ");
  const { stem, extension } = splitFilename(shown);
  const visible = stem.replace(/^[. ]+/, "").trim();
  const hasFormatExtension = format.extensions.includes(extension.toLowerCase());
  return joinFilename(visible || format.mediaType, hasFormatExtension ? extension : format.extensions[0]);
}

function splitFilename(name: string): { stem: string; extension: string } {
  const match = /^(.*)\.([A-Za-z0-9]{1,5})$/.exec(name);
  return { stem: match?.[1] ?? name, extension: match?.[2] ?? "" };
}

function joinFilename(stem: string, extension: string, number = ""): string {
  const tail = `${number}.${extension}`;
  let characters = Array.from(stem);
  while (Buffer.byteLength(characters.join("") + tail) > MAX_FILENAME_BYTES)
    characters = characters.slice(0, -1);
  return characters.join("") + tail;
}
