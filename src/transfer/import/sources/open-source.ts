import { constants, lstatSync, realpathSync, statSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { createSource, isIgnored, MAX_FILES, type Source, SourceError, type SourceFile } from "./source";
import { zipSource } from "./zip-source";

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
