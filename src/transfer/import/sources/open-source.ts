import { constants, lstatSync, realpathSync, statSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { createSource, MAX_FILES, type Source, SourceError, type SourceFile } from "./source";
import { zipSource } from "./zip-source";

/** @throws SourceError */
export async function openSource(path: string): Promise<Source> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new SourceError(`${path} does not exist.`);
  if (found.isDirectory()) return await folderSource(path);
  if (!found.isFile()) throw new SourceError(`${path} is neither a file nor a folder.`);
  const isZip = (await Bun.file(path).slice(0, 2).text()) === "PK";
  return isZip ? await zipSource(path) : fileSource(path);
}

const SKIPPED_FOLDERS = new Set(["node_modules"]);

type Files = Map<string, SourceFile>;

/** Skips symlinks, which may point outside the folder. */
async function folderSource(folder: string): Promise<Source> {
  const files: Files = new Map();
  await listFiles(folder, "", files);
  return createSource(basename(folder) || folder, files);
}

function fileSource(file: string): Source {
  const name = basename(file).normalize("NFC");
  return createSource(basename(file), new Map([[name, fileAt(realpathSync(file))]]));
}

async function listFiles(folder: string, below: string, files: Files): Promise<void> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries) {
    if (entry.name.startsWith(".") || SKIPPED_FOLDERS.has(entry.name)) continue;
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const place = join(folder, path);
    if (entry.isDirectory()) await listFiles(folder, path, files);
    else if (entry.isFile()) files.set(path.normalize("NFC"), fileAt(place));
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
