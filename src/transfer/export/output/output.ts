import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { chmod, mkdir, open } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { asDiskFull } from "../../../errors";
import { newFolderName, writeFully } from "../../../media/files/media-folder";
import { syncPath } from "../../../runtime/files";
import { ZipWriter } from "./zip-writer";

/** Destination of an export, under a temporary name until it is complete. */
export interface Output {
  /** @param path path with "/" as separator @param at the file's modification time */
  text(path: string, at: Date, text: string | AsyncIterable<Uint8Array>): Promise<void>;
  /** Writes images and videos without compression. */
  bytes(path: string, at: Date, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Renames the output to its final name. @throws OutputError if the name is now taken */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** The destination cannot be written to. The message is one sentence. */
export class OutputError extends Error {}

const BLOCK = 256 * 1024;

/** File and folder modes. Private exports contain drafts and readers' addresses. */
const [PUBLIC, PRIVATE] = [
  { folder: 0o755, file: 0o644 },
  { folder: 0o700, file: 0o600 },
];

/**
 * A ZIP archive if `isArchive` or if the name ends in ".zip", otherwise a folder.
 * @throws OutputError if the destination exists (empty folders are allowed) or its parent does not
 */
export async function openOutput(
  place: string,
  { isArchive, isPublic = false }: { isArchive: boolean; isPublic?: boolean },
  ending?: AbortSignal,
): Promise<Output> {
  const path = resolve(place);
  assertFree(path);
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new OutputError(`Folder ${dirname(path)} does not exist.`);
  const unfinished = join(dirname(path), `.${basename(path).slice(0, 100)}-${newFolderName()}`);
  return isArchive || path.toLowerCase().endsWith(".zip")
    ? await archiveAt(path, unfinished, ending)
    : folderAt(path, unfinished, isPublic ? PUBLIC : PRIVATE, ending);
}

function assertFree(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !(found.isDirectory() && readdirSync(path).length === 0))
    throw new OutputError(`${path} exists already. Choose a new path or an empty folder.`);
}

/** Adds the destination to disk errors, because it may be on another disk than the data folder. */
async function reportDiskErrors<Result>(
  place: string,
  ending: AbortSignal | undefined,
  write: () => Promise<Result>,
): Promise<Result> {
  ending?.throwIfAborted();
  try {
    return await write();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EFBIG")
      throw new OutputError(
        `The disk of ${dirname(place)} does not support files this large (FAT32: 4 GB). Nothing was exported. Choose another disk.`,
      );
    if (!asDiskFull(error)) throw error;
    throw new OutputError(
      `The disk of ${dirname(place)} is full. Nothing was exported. Free some space, then try again.`,
    );
  }
}

function takeName(path: string, unfinished: string): void {
  assertFree(path);
  if (existsSync(path)) rmdirSync(path);
  renameSync(unfinished, path);
  syncPath(dirname(path));
}

/** Only the owner may read the archive, because it contains drafts and readers' addresses. */
async function archiveAt(path: string, unfinished: string, ending?: AbortSignal): Promise<Output> {
  const file = await open(unfinished, "wx", PRIVATE.file);
  let waiting: Uint8Array[] = [];
  let length = 0;
  const flush = async () => {
    const [all] = waiting.length === 1 ? waiting : [Buffer.concat(waiting)];
    [waiting, length] = [[], 0];
    if (all) await reportDiskErrors(path, ending, () => writeFully(file, all));
  };
  const zip = new ZipWriter(async (bytes) => {
    waiting.push(bytes);
    length += bytes.length;
    if (length >= BLOCK) await flush();
  });
  return {
    text: (name, at, text) =>
      typeof text === "string" ? zip.addText(name, at, text) : zip.addTextOf(name, at, text),
    bytes: (name, at, bytes) => zip.addBytes(name, at, bytes),
    async finish() {
      await zip.finish();
      await flush();
      await reportDiskErrors(path, ending, () => file.sync());
      await file.close();
      takeName(path, unfinished);
    },
    async discard() {
      await file.close();
      rmSync(unfinished, { force: true });
    },
  };
}

function folderAt(path: string, unfinished: string, mode: typeof PRIVATE, ending?: AbortSignal): Output {
  mkdirSync(unfinished);
  chmodSync(unfinished, mode.folder);
  const put = async (name: string, at: Date, pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) => {
    const file = join(unfinished, name);
    const opened = await reportDiskErrors(path, ending, async () => {
      await createExportFolder(dirname(file), mode.folder);
      return await open(file, "wx", PRIVATE.file);
    });
    try {
      for await (const piece of pieces) await reportDiskErrors(path, ending, () => writeFully(opened, piece));
      await opened.chmod(mode.file);
      await opened.utimes(at, at);
    } finally {
      await opened.close();
    }
  };
  return {
    text: (name, at, text) => put(name, at, typeof text === "string" ? [Buffer.from(text)] : text),
    bytes: put,
    finish: async () => takeName(path, unfinished),
    discard: async () => rmSync(unfinished, { recursive: true, force: true }),
  };
}

/** Creates the folder and its missing parents with this mode, regardless of the umask. */
async function createExportFolder(folder: string, mode: number): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let one = folder; one.length >= first.length; one = dirname(one)) await chmod(one, mode);
}
