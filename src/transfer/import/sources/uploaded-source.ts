import { open } from "node:fs/promises";
import { basename } from "node:path";
import type { Blog } from "../../../blogs/blogs";
import { GIGABYTE, MEGABYTE } from "../../../config/units";
import { invalid } from "../../../errors";
import { writeFully } from "../../../media/files/media-folder";
import type { Platen } from "../../../platen";
import { assertDiskSpace } from "../../../runtime/disk-space";
import { type KeptFile, placeForFile, removeKeptFile } from "../../../upkeep/import-and-export-files";

const MAX_SOURCE_BYTES = 2 * GIGABYTE;
const DISK_CHECK_INTERVAL_BYTES = 64 * MEGABYTE;

export async function storeSourceUpload(
  platen: Platen,
  blog: Blog,
  filename: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<KeptFile> {
  // Folders are dropped, and so are leading dots, which would hide the file.
  const bare = basename(filename.replaceAll("\\", "/")).replace(/[^\p{L}\p{N}._ -]/gu, "");
  const name = bare.replace(/^[. ]+/, "").slice(-100) || "upload";
  const kept = placeForFile(platen, "imports", blog, name);
  try {
    await writeStream(platen, kept.path, stream);
    return kept;
  } catch (error) {
    removeKeptFile(platen, "imports", blog, kept);
    throw error;
  }
}

async function writeStream(platen: Platen, path: string, stream: AsyncIterable<Uint8Array>): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  let length = 0;
  let nextCheck = 0;
  for await (const piece of stream) {
    length += piece.length;
    if (length > MAX_SOURCE_BYTES)
      throw invalid({ file: ["must be at most 2 GB; use platen import on the server"] });
    if (nextCheck <= length) {
      assertDiskSpace(platen);
      nextCheck = length + DISK_CHECK_INTERVAL_BYTES;
    }
    await writeFully(file, piece);
  }
  if (length === 0) throw invalid({ file: ["is empty"] });
}
