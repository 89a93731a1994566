import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Platen } from "../../platen";
import type { StoredBlob } from "./blobs";
import { mediaFolder } from "./media-folder";

export interface SizeOnDisk {
  /** Below the file's folder: "sizes/480.webp". */
  path: string;
  /** Bytes. */
  size: number;
}

/** All that lies on disk for an upload: the served file, what it was made from, the sizes made of it. By path. */
export async function sizesOnDisk(platen: Platen, blob: Pick<StoredBlob, "folder">): Promise<SizeOnDisk[]> {
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
