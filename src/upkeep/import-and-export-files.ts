import { mkdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DAY } from "../config/units";
import { notFound } from "../errors";
import { FOLDER_NAME, newFolderName } from "../media/files/media-folder";
import type { Platen } from "../platen";
import { modificationTime, namesIn } from "../runtime/files";

const MISSING = { imports: "upload", exports: "export any more: exports are kept for a week" };
type Kind = keyof typeof MISSING;
const KINDS = Object.keys(MISSING) as Kind[];
const KEEP_MS = 7 * DAY;

export interface KeptFile {
  /** Random, so that nobody can guess the id. Also the name of the file's folder. */
  id: string;
  name: string;
  path: string;
}

type HasId = { id: number };

export function placeForFile(platen: Platen, kind: Kind, blog: HasId, name: string): KeptFile {
  const id = newFolderName();
  mkdirSync(folderOf(platen, kind, blog, id), { recursive: true, mode: 0o700 });
  return { id, name, path: join(folderOf(platen, kind, blog, id), name) };
}

/** @throws Refusal (missing), also if the file belongs to another blog */
export function findKeptFile(platen: Platen, kind: Kind, blog: HasId, id: string): KeptFile {
  const folder = folderOf(platen, kind, blog, id);
  const [name] = FOLDER_NAME.test(id) ? namesIn(folder).filter((one) => !one.startsWith(".")) : [];
  if (name === undefined) throw notFound(MISSING[kind]);
  return { id, name, path: join(folder, name) };
}

export function removeKeptFile(platen: Platen, kind: Kind, blog: HasId, { id }: { id: string }): void {
  rmSync(folderOf(platen, kind, blog, id), { recursive: true, force: true });
}

export async function deleteOldFiles({ config, log }: Platen): Promise<void> {
  // The system clock, because file times use it.
  const before = new Date(Date.now() - KEEP_MS);
  const pathsIn = (folder: string) => namesIn(folder).map((name) => join(folder, name));
  for (const room of KINDS.map((kind) => join(config.data, kind)))
    for (const path of pathsIn(room).flatMap(pathsIn))
      if ((modificationTime(path) ?? before) < before)
        await rm(path, { recursive: true, force: true }).catch((error) =>
          log(`An old file in ${room} could not be deleted; this will be retried: ${error.message}`),
        );
}

function folderOf({ config }: Platen, kind: Kind, blog: HasId, id: string): string {
  return join(config.data, kind, String(blog.id), id);
}
