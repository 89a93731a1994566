import { statSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Platen } from "../../platen";
import type { StoredBlob } from "./blobs";

/** Bytes of randomness in a folder's name, so that addresses of files cannot be guessed. */
const FOLDER_LENGTH = 16;

export const FOLDER_NAME = /^[0-9a-f]{32}$/;

export function newFolderName(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(FOLDER_LENGTH))).toString("hex");
}

/** Where all media lie; the address path below /media/ is the path below this folder. */
export function mediaFolder(platen: Platen, ...below: string[]): string {
  return join(platen.config.data, "media", ...below);
}

/**
 * Where uploads are until they are whole. On the same file system as the media, so that a rename moves them.
 * @param name to which the number of this process is put: another one's are not removed while it runs
 */
export function incomingFolder(platen: Platen, name?: string): string {
  return mediaFolder(platen, ".incoming", ...(name === undefined ? [] : [`${process.pid}-${name}`]));
}

/**
 * Removes what uploads left behind when a program was killed. What commands are taking in beside this stays.
 * @param before whatever else is older than this, in milliseconds since 1970: this process, unless said otherwise
 */
export async function removeAbandonedUploads(platen: Platen, before = performance.timeOrigin): Promise<void> {
  const folder = incomingFolder(platen);
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (isOfOtherProcess(name)) continue;
    // An upload that breaks off at this moment has taken its file away itself.
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
  } catch (fault) {
    // It runs as somebody else.
    return (fault as { code?: string }).code === "EPERM";
  }
}

/** Writes a file that is there whole or not at all, also after a power cut. */
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
  } catch (fault) {
    // `rm` would open a file, and perhaps none can be opened.
    await unlink(unfinished).catch(() => {});
    throw fault;
  }
}

/** A single `write` may write a part only, for instance on a disk that is nearly full. */
export async function writeFully(file: Awaited<ReturnType<typeof open>>, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
}

/** The file's SHA-256, hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
  return hash.digest("hex");
}

export interface FileOnDisk {
  /** Below the file's folder: "sizes/480.webp". */
  path: string;
  /** Bytes. */
  size: number;
}

/** All that lies on disk for an upload: the served file, what it was made from, the sizes made of it. By path. */
export async function filesOnDisk(platen: Platen, blob: Pick<StoredBlob, "folder">): Promise<FileOnDisk[]> {
  const folder = mediaFolder(platen, blob.folder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(
    files.map(async (path) => ({
      path: path.slice(folder.length + 1),
      // It may be made anew, or deleted, at this moment.
      size: (await stat(path).catch(() => null))?.size ?? 0,
    })),
  );
  return sizes.toSorted((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));
}
