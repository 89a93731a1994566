import { constants, lstatSync, statSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { createSource, MAX_FILES, type Source, SourceError } from "./source";
import { zipSource } from "./zip-source";

/** Opens a folder, a ZIP archive with any extension, or a single file. @throws SourceError */
export async function openSource(path: string): Promise<Source> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new SourceError(`${path} does not exist.`);
  if (found.isDirectory()) return await folderSource(path);
  if (!found.isFile()) throw new SourceError(`${path} is neither a file nor a folder.`);
  return (await isZip(path)) ? await zipSource(path) : fileSource(path);
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString("latin1").startsWith("PK");
  } finally {
    await file.close();
  }
}

const SKIPPED_FOLDERS = new Set(["node_modules"]);

/** Files by path in the source. */
type Files = Map<string, { place: string; size: number }>;

/** Skips hidden files, and symlinks, which may point outside the folder. */
async function folderSource(folder: string): Promise<Source> {
  const files: Files = new Map();
  await listFiles(folder, "", files);
  return createSource(basename(folder) || folder, files, ({ size }) => size, readFile);
}

function fileSource(file: string): Source {
  const name = basename(file).normalize("NFC");
  const files: Files = new Map([[name, { place: file, size: lstatSync(file).size }]]);
  return createSource(basename(file), files, ({ size }) => size, readFile);
}

async function listFiles(folder: string, below: string, files: Files): Promise<void> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries) {
    if (entry.name.startsWith(".") || SKIPPED_FOLDERS.has(entry.name)) continue;
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const place = join(folder, path);
    if (entry.isDirectory()) await listFiles(folder, path, files);
    else if (entry.isFile()) files.set(path.normalize("NFC"), { place, size: lstatSync(place).size });
    if (files.size > MAX_FILES) throw new SourceError(`${folder} holds more than ${MAX_FILES} files.`);
  }
}

async function* readFile({ place }: { place: string }): AsyncGenerator<Uint8Array> {
  // O_NOFOLLOW, because the file may have been replaced with a symlink.
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
  yield* file.createReadStream();
}
