import { renameSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { blobs } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { invalid } from "../errors";
import type { Platen } from "../platen";
import { isFilenameTaken, type StoredBlob } from "./files/blobs";
import { ACCEPTED, type Format, HEAD_LENGTH, MEGABYTE, SIZE_LIMIT, sniff } from "./files/file-formats";
import { numbered, tidyFilename } from "./files/filenames";
import {
  incomingFolder,
  mediaFolder,
  newFolderName,
  syncFolder,
  writeAll,
  writeWhole,
} from "./files/media-folder";
import { readPicture, writePoster } from "./images/uploaded-images";

/** An upload that lies whole in the incoming folder. Its owner keeps it (`keepUpload`) or discards it. */
export interface TakenFile extends Measured {
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
 * Streams an upload to disk, telling its type by its bytes on the way; holds no more than a chunk in memory.
 * @param field what a refusal names
 * @throws Refusal for a wrong type, too large a file, a full disk; then, and when the stream breaks, nothing is left
 */
export async function takeIn(
  platen: Platen,
  stream: AsyncIterable<Uint8Array>,
  clientName: string,
  field: "file" | "poster" = "file",
): Promise<TakenFile> {
  await mkdir(incomingFolder(platen), { recursive: true });
  const path = incomingFolder(platen, newFolderName());
  try {
    const measured = await pour(stream, path, field);
    return { path, clientName, ...measured };
  } catch (fault) {
    await rm(path, { force: true });
    throw fault;
  }
}

export async function discard(_platen: Platen, taken: TakenFile): Promise<void> {
  await rm(taken.path, { force: true });
}

async function pour(stream: AsyncIterable<Uint8Array>, path: string, field: string): Promise<Measured> {
  const hash = new Bun.CryptoHasher("sha256");
  const file = await open(path, "wx");
  let head = Buffer.alloc(0);
  let format: Format | undefined;
  let byteSize = 0;
  try {
    for await (const chunk of stream) {
      byteSize += chunk.length;
      if (head.length < HEAD_LENGTH)
        head = Buffer.concat([head, chunk.subarray(0, HEAD_LENGTH - head.length)]);
      if (head.length === HEAD_LENGTH) format ??= formatOf(head, field);
      if (format) refuseTooLarge(format, byteSize, field);
      hash.update(chunk);
      await writeAll(file, chunk);
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
  const format = sniff(head);
  if (!format) throw invalid({ [field]: [ACCEPTED] });
  return format;
}

function refuseTooLarge(format: Format, byteSize: number, field: string): void {
  const limit = SIZE_LIMIT[format.mediaType];
  if (byteSize <= limit) return;
  const article = format.mediaType === "image" ? "an image" : "a video";
  throw invalid({ [field]: [`is too large: ${article} may have at most ${limit / MEGABYTE} MB`] });
}

/**
 * Makes a taken file part of a blog: cleans it, puts it in its place, records it. The taken files are used up,
 * whether this succeeds or not; where it does not, nothing is left on disk.
 * @param told is called with the new row in the transaction that writes it: what it writes is there exactly when the row is
 * @throws Refusal naming `file` or `poster`: damaged, too many pixels, a poster that is none
 */
export async function keepUpload(
  platen: Platen,
  blog: { id: number },
  taken: TakenFile,
  extras: { caption?: string; poster?: TakenFile } = {},
  told: (blob: StoredBlob) => void = () => {},
): Promise<StoredBlob> {
  const folder = newFolderName();
  const staging = incomingFolder(platen, folder);
  try {
    if (extras.poster) refuseWrongPoster(taken, extras.poster);
    await mkdir(staging);
    const picture = await stage(platen, taken, staging);
    if (extras.poster)
      await writePoster(platen, extras.poster.path, extras.poster.format, join(staging, "poster.webp"));
    return inTransaction(platen, () => {
      const filename = freeFilename(platen, blog.id, tidyFilename(taken.clientName, taken.format));
      putInPlace(platen, folder, filename);
      const blob = platen.db
        .insert(blobs)
        .values({
          ...picture,
          blogId: blog.id,
          folder,
          filename,
          mediaType: taken.format.mediaType,
          contentType: taken.format.contentType,
          hasPoster: extras.poster !== undefined,
          caption: extras.caption ?? "",
          createdAt: platen.now(),
        })
        .returning()
        .get();
      told(blob);
      return blob;
    });
  } catch (fault) {
    await rm(staging, { recursive: true, force: true });
    await rm(mediaFolder(platen, folder), { recursive: true, force: true });
    throw fault;
  } finally {
    await discard(platen, taken);
    if (extras.poster) await discard(platen, extras.poster);
  }
}

function refuseWrongPoster(taken: TakenFile, poster: TakenFile): void {
  if (taken.format.mediaType !== "video")
    throw invalid({ poster: ["belongs to a video, and the file is an image"] });
  if (poster.format.mediaType !== "image") throw invalid({ poster: ["must be an image"] });
}

/** The served file before it has its name. */
const STAGED = ".public";
/** The upload as it came, where the served file is another: kept for the owner, never served. */
const ORIGINAL = ".original";

/** Everything the blob's folder will hold but the sizes, made beside it; what the row says of the served file. */
async function stage(
  platen: Platen,
  taken: TakenFile,
  staging: string,
): Promise<Pick<StoredBlob, "byteSize" | "sha256" | "width" | "height" | "isAnimated">> {
  const { path, format, byteSize, sha256 } = taken;
  const served = join(staging, STAGED);
  if (format.mediaType === "video") {
    await rename(path, served);
    return { byteSize, sha256, width: null, height: null, isAnimated: false };
  }
  const { cleaned, ...shown } = await readPicture(platen, path, format, "file");
  if (!cleaned) {
    await rename(path, served);
    return { byteSize, sha256, ...shown };
  }
  await writeWhole(served, cleaned);
  await rename(path, join(staging, ORIGINAL));
  const bytes = Buffer.concat(cleaned);
  return { byteSize: bytes.length, sha256: Bun.SHA256.hash(bytes, "hex"), ...shown };
}

/** Inside the transaction that records it: a row without its file is never seen. */
function putInPlace(platen: Platen, folder: string, filename: string): void {
  const staging = incomingFolder(platen, folder);
  renameSync(join(staging, STAGED), join(staging, filename));
  syncFolder(staging);
  renameSync(staging, mediaFolder(platen, folder));
  syncFolder(mediaFolder(platen));
}

function freeFilename(platen: Platen, blogId: number, wanted: string): string {
  let filename = wanted;
  for (let number = 2; isFilenameTaken(platen, blogId, filename); number++)
    filename = numbered(wanted, number);
  return filename;
}
