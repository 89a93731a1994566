import { statSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../../errors";
import type { Platen } from "../../platen";
import { chownToFolderOwner } from "../../runtime/files";
import type { StoredBlob } from "./blobs";

/** Random bytes, so that nobody can guess URLs. */
const FOLDER_LENGTH = 16;

export const FOLDER_NAME = /^[0-9a-f]{32}$/;

export function newFolderName(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(FOLDER_LENGTH))).toString("hex");
}

export function mediaFolder(platen: Platen, ...below: string[]): string {
  return join(platen.config.data, "media", ...below);
}

/**
 * For unfinished uploads. The folder is on the same file system as the media.
 * @param name gets the process id as prefix, so that no other process removes the file
 */
export function incomingFolder(platen: Platen, name?: string): string {
  return mediaFolder(platen, ".incoming", ...(name === undefined ? [] : [`${process.pid}-${name}`]));
}

export async function makeIncomingFolder(platen: Platen): Promise<void> {
  const created = await mkdir(incomingFolder(platen), { recursive: true });
  if (created) chownToFolderOwner(platen.config.data, created);
}

/**
 * Keeps uploads of other running processes.
 * @param before only older files are removed; milliseconds since 1970
 */
export async function removeAbandonedUploads(platen: Platen, before = performance.timeOrigin): Promise<void> {
  const folder = incomingFolder(platen);
  await makeIncomingFolder(platen);
  for (const name of await readdir(folder)) {
    if (isOfOtherProcess(name)) continue;
    // An aborted upload may have removed its file since `readdir`.
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found && found.mtimeMs < before) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isOfOtherProcess(name: string): boolean {
  const [, pid] = /^(\d{1,10})-/.exec(name) ?? [];
  if (pid === undefined || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
    return errorCode(error) === "EPERM";
  }
}

/** After a power failure, `path` has the old or the new content, never a part. */
export async function writeAtomically(path: string, parts: Uint8Array[]): Promise<void> {
  const unfinished = `${dirname(path)}/.${newFolderName()}`;
  try {
    const file = await open(unfinished, "wx");
    try {
      for (const part of parts) await writeFully(file, part);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    // Unlike `unlink`, `rm` needs a free file descriptor.
    await unlink(unfinished).catch(() => {});
    throw error;
  }
}

/** A single `write` may write fewer bytes, for example on an almost full disk. */
export async function writeFully(file: Awaited<ReturnType<typeof open>>, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
}

export async function hashFile(path: string): Promise<string> {
  return (await measureStream(Bun.file(path).stream())).sha256;
}

/** @param pass gets each chunk after it was measured */
export async function measureStream(
  bytes: AsyncIterable<Uint8Array>,
  pass: (chunk: Uint8Array) => Promise<void> | void = () => {},
): Promise<{ size: number; sha256: string }> {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.length;
    await pass(chunk);
  }
  return { size, sha256: hash.digest("hex") };
}

export interface FileOnDisk {
  path: string;
  size: number;
}

export async function filesOnDisk(platen: Platen, blob: Pick<StoredBlob, "folder">): Promise<FileOnDisk[]> {
  const folder = mediaFolder(platen, blob.folder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(
    files.map(async (path) => ({
      path: path.slice(folder.length + 1),
      size: (await stat(path).catch(() => null))?.size ?? 0,
    })),
  );
  return sizes.toSorted((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));
}
