import { mkdirSync, rmSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Blog } from "../../blogs/blogs";
import { DAY } from "../../config/units";
import { notFound } from "../../errors";
import { FOLDER_NAME, newFolderName } from "../../media/files/media-folder";
import type { Platen } from "../../platen";
import { namesIn } from "../../runtime/files";

const KEEP_MS = 7 * DAY;

interface KeptExport {
  /** Random id that cannot be guessed. */
  id: string;
  name: string;
  path: string;
}

export function placeForExport(platen: Platen, blog: Pick<Blog, "id">, name: string): KeptExport {
  const id = newFolderName();
  mkdirSync(exportFolder(platen, String(blog.id), id), { recursive: true, mode: 0o700 });
  return { id, name, path: exportFolder(platen, String(blog.id), id, name) };
}

/** Finds an export of this blog. @throws Refusal (missing), also if it belongs to another blog */
export function exportWithId(platen: Platen, blog: Pick<Blog, "id">, id: string): KeptExport {
  const folder = exportFolder(platen, String(blog.id), id);
  const [name] = FOLDER_NAME.test(id) ? namesIn(folder).filter((one) => !one.startsWith(".")) : [];
  if (name === undefined) throw notFound("export any more: exports are kept for a week");
  return { id, name, path: join(folder, name) };
}

export function removeExport(platen: Platen, blog: Pick<Blog, "id">, { id }: KeptExport): void {
  rmSync(exportFolder(platen, String(blog.id), id), { recursive: true, force: true });
}

/** Deletes old exports, including unfinished ones. */
export async function deleteOldExports(platen: Platen): Promise<void> {
  // Uses the system clock, because file times do.
  const before = Date.now() - KEEP_MS;
  for (const blogId of namesIn(exportFolder(platen)))
    for (const id of namesIn(exportFolder(platen, blogId))) {
      const folder = exportFolder(platen, blogId, id);
      const found = statSync(folder, { throwIfNoEntry: false });
      if (found && found.mtimeMs < before)
        await rm(folder, { recursive: true, force: true }).catch((error) =>
          platen.log(`An old export could not be deleted; this will be retried: ${error.message}`),
        );
    }
}

function exportFolder({ config }: Platen, ...below: string[]): string {
  return join(config.data, "exports", ...below);
}
