import {
  chmodSync,
  createWriteStream,
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
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { asDiskFull, errorCode } from "../../errors";
import { newFolderName, writeFully } from "../../media/files/media-folder";
import { syncPath } from "../../runtime/files";

type Piece = string | Uint8Array;
export type Content = string | Iterable<Piece> | AsyncIterable<Piece>;

export interface Output {
  /** @param path has "/" as separator */
  text(path: string, at: Date, content: Content): Promise<void>;
  /** For content that is already compressed, such as images and videos. */
  bytes(path: string, at: Date, content: Content): Promise<void>;
  /** Renames the output to its final name. @throws OutputError, for example if the name is now taken */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

export class OutputError extends Error {}

const BLOCK_BYTES = 256 * 1024;

/** Private exports contain drafts and readers' addresses. */
const PRIVATE = { folder: 0o700, file: 0o600 };
const PUBLIC = { folder: 0o755, file: 0o644 };

/**
 * A ZIP archive if `isArchive` or if the name ends in ".zip", otherwise a folder.
 * @throws OutputError if the destination exists (empty folders are allowed) or its parent does not
 */
export async function openOutput(
  destination: string,
  { isArchive, isPublic = false }: { isArchive: boolean; isPublic?: boolean },
  signal?: AbortSignal,
): Promise<Output> {
  const path = resolve(destination);
  assertFree(path);
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new OutputError(`Folder ${dirname(path)} does not exist.`);
  const unfinished = join(dirname(path), `.${basename(path).slice(0, 100)}-${newFolderName()}`);
  return isArchive || path.toLowerCase().endsWith(".zip")
    ? await archiveAt(path, unfinished, signal)
    : folderAt(path, unfinished, isPublic ? PUBLIC : PRIVATE, signal);
}

function assertFree(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !(found.isDirectory() && readdirSync(path).length === 0))
    throw new OutputError(`${path} already exists. Choose a new path or an empty folder.`);
}

/** Names the destination in disk errors, because it may be on another disk than the data folder. */
async function reportDiskErrors(path: string, signal: AbortSignal | undefined, write: () => Promise<void>) {
  signal?.throwIfAborted();
  try {
    await write();
  } catch (error) {
    const disk = `The disk of ${dirname(path)}`;
    if (asDiskFull(error))
      throw new OutputError(`${disk} is full. Nothing was exported. Free some space, then try again.`);
    if (errorCode(error) !== "EFBIG") throw error;
    throw new OutputError(
      `${disk} does not support files this large (FAT32: 4 GB). Nothing was exported. Choose another disk.`,
    );
  }
}

function renameToFinal(path: string, unfinished: string): void {
  assertFree(path);
  if (existsSync(path)) rmdirSync(path);
  renameSync(unfinished, path);
  syncPath(dirname(path));
}

/** Only the owner may read the archive, because it may contain drafts and readers' addresses. */
async function archiveAt(path: string, unfinished: string, signal?: AbortSignal): Promise<Output> {
  // Loaded on demand, because yazl takes 8 MB of memory.
  const { ZipFile } = await import("yazl");
  const zip = new ZipFile();
  const file = createWriteStream(unfinished, { flags: "wx", mode: PRIVATE.file });
  const written = pipeline(zip.outputStream, file);
  const writeEntry = (at: Date, name: string, compress: boolean, content: Content) =>
    reportDiskErrors(path, signal, async () => {
      let failure: unknown = null;
      // yazl cannot abandon an entry, so the entry of a failed file is truncated.
      const readable = async function* () {
        try {
          yield* inBlocks(content, signal);
        } catch (error) {
          failure = error;
        }
      };
      const stream = Readable.from(readable());
      zip.addReadStream(stream, name, { mtime: at, mode: 0o100644, compress });
      await Promise.race([finished(stream), written]);
      if (failure) throw failure;
    });
  return {
    text: (name, at, content) => writeEntry(at, name, true, content),
    bytes: (name, at, content) => writeEntry(at, name, false, content),
    finish: () =>
      reportDiskErrors(path, signal, async () => {
        zip.end();
        await written;
        syncPath(unfinished);
        renameToFinal(path, unfinished);
      }),
    async discard() {
      file.destroy();
      await written.catch(() => {});
      rmSync(unfinished, { force: true });
    },
  };
}

/** Joins short pieces, such as lines, because each block costs a task in the compression thread. */
async function* inBlocks(content: Content, signal?: AbortSignal): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of typeof content === "string" ? [content] : content) {
    signal?.throwIfAborted();
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    pieces.push(bytes);
    length += bytes.length;
    if (length < BLOCK_BYTES) continue;
    yield Buffer.concat(pieces);
    [pieces, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(pieces);
}

function folderAt(path: string, unfinished: string, mode: typeof PRIVATE, signal?: AbortSignal): Output {
  mkdirSync(unfinished);
  chmodSync(unfinished, mode.folder);
  const writeEntry = (name: string, at: Date, content: Content) =>
    reportDiskErrors(path, signal, async () => {
      const file = join(unfinished, name);
      await createExportFolder(dirname(file), mode.folder);
      await using opened = await open(file, "wx", PRIVATE.file);
      for await (const block of inBlocks(content, signal)) await writeFully(opened, block);
      await opened.chmod(mode.file);
      await opened.utimes(at, at);
    });
  return {
    text: writeEntry,
    bytes: writeEntry,
    finish: async () => renameToFinal(path, unfinished),
    discard: async () => rmSync(unfinished, { recursive: true, force: true }),
  };
}

/** The mode is set after mkdir, because mkdir applies the umask. */
async function createExportFolder(folder: string, mode: number): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let one = folder; one.length >= first.length; one = dirname(one)) await chmod(one, mode);
}
