import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Blog } from "../../blogs/blogs";
import { DAY } from "../../config/units";
import { notFound } from "../../errors";
import { FOLDER_NAME, newFolderName } from "../../media/files/media-folder";
import type { Platen } from "../../platen";

/** How long an export that was made in the admin can be downloaded. */
const KEPT_FOR = 7 * DAY;

/** What was exported in the admin, until its owner has downloaded it. */
interface KeptExport {
  /** Unguessable; names it in addresses. */
  id: string;
  /** What it is called when it is downloaded. */
  name: string;
  path: string;
}

/** A place where nothing is yet. */
export function placeForExport(platen: Platen, blog: Pick<Blog, "id">, name: string): KeptExport {
  const id = newFolderName();
  mkdirSync(folderOf(platen, String(blog.id), id), { recursive: true, mode: 0o700 });
  return { id, name, path: folderOf(platen, String(blog.id), id, name) };
}

/** @throws Refusal (missing), for another blog's too */
export function exportWithId(platen: Platen, blog: Pick<Blog, "id">, id: string): KeptExport {
  const folder = folderOf(platen, String(blog.id), id);
  const [name] = FOLDER_NAME.test(id) ? namesIn(folder).filter((one) => !one.startsWith(".")) : [];
  if (name === undefined) throw notFound("export any more: they are kept for a week");
  return { id, name, path: join(folder, name) };
}

export function removeExport(platen: Platen, blog: Pick<Blog, "id">, { id }: KeptExport): void {
  rmSync(folderOf(platen, String(blog.id), id), { recursive: true, force: true });
}

/** Also what was left unfinished when the power went. Nobody waits for the disk. */
export async function deleteOldExports(platen: Platen): Promise<void> {
  // By the clock that files bear.
  const before = Date.now() - KEPT_FOR;
  for (const blogId of namesIn(folderOf(platen)))
    for (const id of namesIn(folderOf(platen, blogId))) {
      const folder = folderOf(platen, blogId, id);
      const found = statSync(folder, { throwIfNoEntry: false });
      if (found && found.mtimeMs < before)
        await rm(folder, { recursive: true, force: true }).catch((fault) =>
          platen.log(`An old export could not be deleted, which is tried again: ${fault.message}`),
        );
    }
}

function folderOf({ config }: Platen, ...below: string[]): string {
  return join(config.data, "exports", ...below);
}

function namesIn(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}
