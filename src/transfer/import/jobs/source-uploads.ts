import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { DAY, GIGABYTE, MEGABYTE } from "../../../config/units";
import { invalid, notFound } from "../../../errors";
import { FOLDER_NAME, newFolderName, writeFully } from "../../../media/files/media-folder";
import type { Platen } from "../../../platen";
import { assertDiskSpace } from "../../../runtime/disk-space";
import { signText, verifySignature } from "../../../secrets";

const PURPOSE = "uploads of imports";
/** Maximum size of an upload. Larger files need the command `platen import`. */
const MAX_SOURCE_BYTES = 2 * GIGABYTE;
const RETENTION_MS = 7 * DAY;
const DISK_CHECK_INTERVAL_BYTES = 64 * MEGABYTE;

export interface UploadedSource {
  /** Random id, also the name of the folder. */
  id: string;
  name: string;
  path: string;
}

/** Stores an upload; on errors, deletes the partial file. @throws Refusal (invalid, no room) */
export async function storeSourceUpload(
  platen: Platen,
  filename: string,
  stream: AsyncIterable<Uint8Array>,
): Promise<UploadedSource> {
  await removeOldSources(platen);
  const id = newFolderName();
  const name = tidyName(filename);
  await mkdir(folderOf(platen, id), { recursive: true, mode: 0o700 });
  const path = join(folderOf(platen, id), name);
  try {
    await writeStream(platen, path, stream);
    return { id, name, path };
  } catch (error) {
    await deleteSourceUpload(platen, id);
    throw error;
  }
}

export async function findSourceUpload(platen: Platen, id: string): Promise<UploadedSource> {
  if (!FOLDER_NAME.test(id)) throw notFound("upload");
  const [name] = await readdir(folderOf(platen, id)).catch(() => []);
  if (name === undefined) throw notFound("upload");
  return { id, name, path: join(folderOf(platen, id), name) };
}

/** The account that may import the file, and the blog it may import into. */
export interface UploadOwner {
  blog: { id: number };
  accountId: number | null;
}

/** Identifies the upload in URLs and forms. */
export function uploadToken(platen: Platen, id: string, owner: UploadOwner): string {
  return `${id}.${signText(platen, PURPOSE, claimOf(id, owner))}`;
}

/** @throws Refusal (missing) if the upload is unknown or belongs to another account or blog */
export async function findSourceByToken(
  platen: Platen,
  token: string,
  owner: UploadOwner,
): Promise<UploadedSource> {
  const [id = "", signature = ""] = token.split(".");
  if (!verifySignature(platen, PURPOSE, claimOf(id, owner), signature)) throw notFound("upload");
  return await findSourceUpload(platen, id);
}

function claimOf(id: string, { blog, accountId }: UploadOwner): string {
  return `${id} ${blog.id} ${accountId}`;
}

export async function deleteSourceUpload(platen: Platen, id: string): Promise<void> {
  await rm(folderOf(platen, id), { recursive: true, force: true });
}

function folderOf({ config }: Platen, ...below: string[]): string {
  return join(config.data, "imports", ...below);
}

async function writeStream(platen: Platen, path: string, stream: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, "wx", 0o600);
  let length = 0;
  let nextCheck = 0;
  try {
    for await (const piece of stream) {
      length += piece.length;
      if (length > MAX_SOURCE_BYTES)
        throw invalid({ file: ["must be at most 2 GB; use platen import on the server"] });
      if (nextCheck <= length) assertDiskSpace(platen);
      if (nextCheck <= length) nextCheck = length + DISK_CHECK_INTERVAL_BYTES;
      await writeFully(file, piece);
    }
  } finally {
    await file.close();
  }
  if (length === 0) throw invalid({ file: ["is empty"] });
}

async function removeOldSources(platen: Platen): Promise<void> {
  const before = Date.now() - RETENTION_MS;
  for (const id of await readdir(folderOf(platen)).catch(() => [])) {
    const found = await stat(folderOf(platen, id)).catch(() => null);
    if (found && found.mtimeMs < before) await deleteSourceUpload(platen, id);
  }
}

/** Returns a safe file name: no path, not hidden. */
function tidyName(filename: string): string {
  const bare = basename(filename.replaceAll("\\", "/")).replace(/[^\p{L}\p{N}._ -]/gu, "");
  return bare.replace(/^[. ]+/, "").slice(-100) || "upload";
}
