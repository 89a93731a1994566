import { basename } from "node:path";
import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { MEGABYTE } from "../../../config/units";
import { createSource, isIgnored, MAX_FILES, type Source, SourceError, type SourceFile } from "./source";

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
