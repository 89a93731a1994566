import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { DAY, GIGABYTE, MEGABYTE } from "../../../config/units";
import { invalid, notFound } from "../../../errors";
import { FOLDER_NAME, newFolderName, writeFully } from "../../../media/files/media-folder";
import type { Platen } from "../../../platen";
import { assertDiskSpace } from "../../../runtime/disk-space";
import { signText, verifySignature } from "../../../secrets";

const PURPOSE = "uploads of imports";
/** In bytes; more than that comes by the command. */
const LARGEST_SOURCE = 2 * GIGABYTE;
/** How long one lies there that nobody has brought in. */
const KEPT_FOR = 7 * DAY;
/** Written until the disk's room is asked for again, in bytes. */
const ASKED_EVERY = 64 * MEGABYTE;

/** What somebody has sent to be brought in, until it is. */
export interface UploadedSource {
  /** Unguessable; names its folder. */
  id: string;
  /** As it was called where it came from. */
  name: string;
  path: string;
}

/** @throws Refusal: invalid where it is empty or too large, no room; then nothing is left */
export async function keepSource(
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
    await write(platen, path, stream);
    return { id, name, path };
  } catch (fault) {
    await removeSource(platen, id);
    throw fault;
  }
}

/** @throws Refusal (missing) */
export async function sourceWithId(platen: Platen, id: string): Promise<UploadedSource> {
  if (!FOLDER_NAME.test(id)) throw notFound("upload");
  const [name] = await readdir(folderOf(platen, id)).catch(() => []);
  if (name === undefined) throw notFound("upload");
  return { id, name, path: join(folderOf(platen, id), name) };
}

/** Whose an upload is: nobody else, and no other blog, brings it in. */
export interface UploadOwner {
  blog: { id: number };
  accountId: number | null;
}

/** What names the upload in addresses and forms. */
export function uploadToken(platen: Platen, id: string, owner: UploadOwner): string {
  return `${id}.${signText(platen, PURPOSE, claimOf(id, owner))}`;
}

/** @throws Refusal (missing) also if it is another account's or another blog's */
export async function sourceWithToken(
  platen: Platen,
  token: string,
  owner: UploadOwner,
): Promise<UploadedSource> {
  const [id = "", signature = ""] = token.split(".");
  if (!verifySignature(platen, PURPOSE, claimOf(id, owner), signature)) throw notFound("upload");
  return await sourceWithId(platen, id);
}

function claimOf(id: string, { blog, accountId }: UploadOwner): string {
  return `${id} ${blog.id} ${accountId}`;
}

export async function removeSource(platen: Platen, id: string): Promise<void> {
  await rm(folderOf(platen, id), { recursive: true, force: true });
}

function folderOf({ config }: Platen, ...below: string[]): string {
  return join(config.data, "imports", ...below);
}

async function write(platen: Platen, path: string, stream: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, "wx", 0o600);
  let length = 0;
  let askedAt = 0;
  try {
    for await (const piece of stream) {
      length += piece.length;
      if (length > LARGEST_SOURCE)
        throw invalid({ file: ["is larger than 2 GB; type platen import on the server instead"] });
      if (askedAt <= length) assertDiskSpace(platen);
      if (askedAt <= length) askedAt = length + ASKED_EVERY;
      await writeFully(file, piece);
    }
  } finally {
    await file.close();
  }
  if (length === 0) throw invalid({ file: ["is empty"] });
}

async function removeOldSources(platen: Platen): Promise<void> {
  const before = Date.now() - KEPT_FOR;
  for (const id of await readdir(folderOf(platen)).catch(() => [])) {
    const found = await stat(folderOf(platen, id)).catch(() => null);
    if (found && found.mtimeMs < before) await removeSource(platen, id);
  }
}

/** Never a path, never hidden. */
function tidyName(filename: string): string {
  const bare = basename(filename.replaceAll("\\", "/")).replace(/[^\p{L}\p{N}._ -]/gu, "");
  return bare.replace(/^[. ]+/, "").slice(-100) || "upload";
}
