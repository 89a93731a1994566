import { constants, lstatSync, realpathSync, statSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { MEGABYTE } from "../../../config/units";
import type { Source, SourceFile } from "./source-files";
import { createSource, isIgnored, MAX_FILES, SourceError } from "./source-files";

/** @throws SourceError */
export async function openSource(path: string): Promise<Source> {
  const found = statSync(path, { throwIfNoEntry: false });
  const name = basename(path);
  if (!found) throw new SourceError(`${path} does not exist.`);
  if (found.isDirectory()) {
    const files = new Map<string, SourceFile>();
    await listFiles(path, "", files);
    return createSource(name || path, files);
  }
  if (!found.isFile()) throw new SourceError(`${path} is neither a file nor a folder.`);
  const isZip = (await Bun.file(path).slice(0, 2).text()) === "PK";
  if (isZip) return await zipSource(path);
  return createSource(name, new Map([[name.normalize("NFC"), fileAt(realpathSync(path))]]));
}

/** Skips symlinks, which may point outside the folder. */
async function listFiles(folder: string, below: string, files: Map<string, SourceFile>): Promise<void> {
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (isIgnored(path)) continue;
    if (entry.isDirectory()) await listFiles(folder, path, files);
    else if (entry.isFile()) files.set(path.normalize("NFC"), fileAt(join(folder, path)));
    if (files.size > MAX_FILES) throw new SourceError(`${folder} contains more than ${MAX_FILES} files.`);
  }
}

function fileAt(place: string): SourceFile {
  return { size: lstatSync(place).size, bytes: () => readFile(place) };
}

async function* readFile(place: string): AsyncGenerator<Uint8Array> {
  // O_NOFOLLOW, because the file may have been replaced with a symlink.
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
  yield* file.createReadStream();
}

/** Limit on the unpacked size, against zip bombs: `times` the packed size, plus `plus` bytes. */
const MAX_EXPANSION = { times: 200, plus: 256 * MEGABYTE };

/** @throws SourceError */
export async function zipSource(file: string): Promise<Source> {
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(file, { lazyEntries: true, autoClose: false });
    return sourceOf(zip, file, await entriesOf(zip, file));
  } catch (error) {
    zip?.close();
    if (error instanceof SourceError) throw error;
    const { message } = error as Error;
    const isTruncated = message.startsWith("End of central directory record signature not found");
    const reason = isTruncated ? "it is truncated. Export or copy it again" : message.replace(/\.$/, "");
    throw new SourceError(`${basename(file)} cannot be read as a ZIP archive: ${reason}.`);
  }
}

function sourceOf(zip: ZipFile, file: string, entries: Map<string, Entry>): Source {
  const top = commonTop([...entries.keys()]);
  const files = new Map<string, SourceFile>();
  for (const [path, entry] of entries)
    files.set(path.slice(top.length), { size: entry.uncompressedSize, bytes: () => unzipEntry(zip, entry) });
  return createSource(basename(file), files, () => zip.close());
}

async function entriesOf(zip: ZipFile, file: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  let packed = 0;
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    packed += entry.compressedSize;
    unpacked += entry.uncompressedSize;
    if (!entry.fileName.endsWith("/") && !isIgnored(entry.fileName))
      entries.set(entry.fileName.normalize("NFC"), entry);
    if (entries.size > MAX_FILES)
      throw new SourceError(`${basename(file)} contains more than ${MAX_FILES} files.`);
    if (unpacked > MAX_EXPANSION.times * Math.min(packed, zip.fileSize) + MAX_EXPANSION.plus)
      throw new SourceError(`${basename(file)} would be too large after unpacking.`);
  }
  return entries;
}

function commonTop(paths: string[]): string {
  const top = paths[0]?.split("/")[0];
  return top !== undefined && paths.every((path) => path.startsWith(`${top}/`)) ? `${top}/` : "";
}

/** Verifies the checksum, because yauzl only verifies the length. */
async function* unzipEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) throw new SourceError(`${entry.fileName} is encrypted.`);
  let sum = 0;
  try {
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      sum = crc32(piece as Buffer, sum);
      yield piece as Buffer;
    }
  } catch (error) {
    throw error instanceof SourceError ? error : damagedEntry(entry, error);
  }
  if (sum !== entry.crc32) throw damagedEntry(entry, "wrong checksum");
}

function damagedEntry({ fileName }: Entry, error: unknown): SourceError {
  return new SourceError(`${fileName} is damaged: ${error instanceof Error ? error.message : error}.`);
}
