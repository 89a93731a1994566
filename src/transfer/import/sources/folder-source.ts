import { constants, lstatSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { MOST_FILES, type Source, SourceFault } from "./source";

/** Hold no posts, and much else. */
const LEFT_ALONE = new Set(["node_modules"]);

/** All below a folder but hidden things and links: a link may lead anywhere. */
export async function folderSource(folder: string): Promise<Source> {
  const sizes = new Map<string, number>();
  await lookInto(folder, "", sizes);
  return sourceOf(basename(folder) || folder, sizes, (path) => join(folder, path));
}

/** One file by itself. */
export function fileSource(file: string): Source {
  return sourceOf(basename(file), new Map([[basename(file), lstatSync(file).size]]), () => file);
}

async function lookInto(folder: string, below: string, sizes: Map<string, number>): Promise<void> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries) {
    if (entry.name.startsWith(".") || LEFT_ALONE.has(entry.name)) continue;
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) await lookInto(folder, path, sizes);
    else if (entry.isFile()) sizes.set(path, lstatSync(join(folder, path)).size);
    if (sizes.size > MOST_FILES) throw new SourceFault(`${folder} holds more than ${MOST_FILES} files.`);
  }
}

function sourceOf(name: string, sizes: Map<string, number>, placeOf: (path: string) => string): Source {
  const paths = [...sizes.keys()].sort();
  return {
    name,
    paths,
    has: (path) => sizes.has(path),
    size: (path) => sizes.get(path) ?? 0,
    async *bytes(path) {
      // Had it become a link meanwhile, it would not be followed.
      const file = await open(placeOf(path), constants.O_RDONLY | constants.O_NOFOLLOW);
      yield* file.createReadStream();
    },
    close() {},
  };
}
