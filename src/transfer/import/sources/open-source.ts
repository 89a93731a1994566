import { constants, lstatSync, statSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { MOST_FILES, type Source, SourceFault } from "./source";
import { zipSource } from "./zip-source";

/** A folder, a ZIP archive whatever its name, or a file by itself. @throws SourceFault */
export async function openSource(path: string): Promise<Source> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new SourceFault(`There is no ${path}.`);
  if (found.isDirectory()) return await folderSource(path);
  if (!found.isFile()) throw new SourceFault(`${path} is neither a file nor a folder.`);
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

/** Hold no posts, and much else. */
const LEFT_ALONE = new Set(["node_modules"]);

/** Their paths in the source → where they lie, and how many bytes they are. */
type Files = Map<string, { place: string; size: number }>;

/** All below a folder but hidden things and links: a link may lead anywhere. */
export async function folderSource(folder: string): Promise<Source> {
  const files: Files = new Map();
  await lookInto(folder, "", files);
  return sourceOf(basename(folder) || folder, files);
}

/** One file by itself. */
export function fileSource(file: string): Source {
  const name = basename(file).normalize("NFC");
  return sourceOf(basename(file), new Map([[name, { place: file, size: lstatSync(file).size }]]));
}

async function lookInto(folder: string, below: string, files: Files): Promise<void> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries) {
    if (entry.name.startsWith(".") || LEFT_ALONE.has(entry.name)) continue;
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const place = join(folder, path);
    if (entry.isDirectory()) await lookInto(folder, path, files);
    else if (entry.isFile()) files.set(path.normalize("NFC"), { place, size: lstatSync(place).size });
    if (files.size > MOST_FILES) throw new SourceFault(`${folder} holds more than ${MOST_FILES} files.`);
  }
}

function sourceOf(name: string, files: Files): Source {
  const paths = [...files.keys()].sort();
  const fileAt = (path: string) => files.get(path.normalize("NFC"));
  return {
    name,
    paths,
    has: (path) => fileAt(path) !== undefined,
    size: (path) => fileAt(path)?.size ?? 0,
    async *bytes(path) {
      const found = fileAt(path);
      if (!found) throw new SourceFault(`There is no ${path} in ${name}.`);
      // Had it become a link meanwhile, it would not be followed.
      const file = await open(found.place, constants.O_RDONLY | constants.O_NOFOLLOW);
      yield* file.createReadStream();
    },
    close() {},
  };
}
