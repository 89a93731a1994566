import { constants, type Dirent, type Stats } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Platen } from "../platen";
import { blogWithSlugEver } from "./blog-addresses";
import { type Blog, homeBlog } from "./blogs";
import { isReserved } from "./slug";

/** The home blog serves this folder of the data folder at its root. Other blogs serve the subfolder SLUG. */
export const PUBLIC = "public";

export interface PublicFile {
  path: string;
  stats: Stats;
}

/** Does not follow symlinks. @param names segments of the path, decoded */
export async function publicFileAt(platen: Platen, blog: Blog, names: string[]): Promise<PublicFile | null> {
  if (!isServedPath(platen, blog, names)) return null;
  const root = await realpath(platen.config.data);
  const path = join(root, ...folderOf(platen, blog), ...names);
  try {
    if ((await realpath(path)) !== path) return null;
    // O_NONBLOCK, because opening a named pipe would wait for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      return stats.isFile() ? { path, stats } : null;
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

export async function publicFilesOf(platen: Platen, blog: Blog): Promise<string[]> {
  const paths = await filesBelow(join(platen.config.data, ...folderOf(platen, blog)));
  const found = await Promise.all(paths.map((path) => publicFileAt(platen, blog, path.split("/"))));
  return paths.filter((_, index) => found[index]);
}

/** @returns sorted paths of regular files, without symlinks; empty if the folder is missing */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const pathsOf = async (entry: Dirent) => {
    if (entry.isFile()) return [entry.name];
    if (!entry.isDirectory()) return [];
    return (await filesBelow(join(folder, entry.name))).map((path) => `${entry.name}/${path}`);
  };
  return (await Promise.all(entries.map(pathsOf))).flat().sort();
}

function folderOf(platen: Platen, blog: Blog): string[] {
  return isHome(platen, blog) ? [PUBLIC] : [PUBLIC, blog.slug];
}

function isServedPath(platen: Platen, blog: Blog, names: string[]): boolean {
  const [first = "", ...others] = names;
  if (isReserved(first) || !(first === ".well-known" || isServedName(first))) return false;
  if (first === ".well-known" && others.length === 0) return false;
  const named = isHome(platen, blog) ? blogWithSlugEver(platen, first) : undefined;
  const isOfAnotherBlog = named !== undefined && named.id !== blog.id;
  return !isOfAnotherBlog && others.every(isServedName);
}

function isServedName(name: string): boolean {
  return name !== "" && !/^\.|[/\\\0]/.test(name);
}

function isHome(platen: Platen, blog: Blog): boolean {
  return homeBlog(platen)?.id === blog.id;
}
