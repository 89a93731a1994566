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
import { ZipWriting } from "./zip-writer";

/** Where an export is written, file by file. Nothing bears its name before it is whole. */
export interface Output {
  /** @param path with "/" between @param at the time the file bears */
  text(path: string, at: Date, text: string | AsyncIterable<Uint8Array>): Promise<void>;
  /** What hardly shrinks, pictures and films. Nothing of it is held, nor of a text that comes in pieces. */
  bytes(path: string, at: Date, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Gives it its name. @throws OutputFault where something has that meanwhile */
  finish(): Promise<void>;
  /** Takes away what was written. */
  discard(): Promise<void>;
}

/** The place cannot be written to; the message is one sentence. */
export class OutputFault extends Error {}

/** Of small files, this much is written at once, in bytes. */
const BLOCK = 256 * 1024;
/** Those that were made last are not made again. */
const FOLDERS_KNOWN = 1000;

/** Of folders and files: of what anybody may read, web servers run by others too; and of drafts, and readers' addresses. */
const [PUBLIC, PRIVATE] = [
  { folder: 0o755, file: 0o644 },
  { folder: 0o700, file: 0o600 },
];

/**
 * A ZIP archive where it is to be one or the name ends in ".zip", else a folder.
 * @param ending where it is aborted, the next thing that is written throws its reason
 * @throws OutputFault where there is something already (an empty folder is nothing), or nothing it could be in
 */
export async function openOutput(
  place: string,
  { isArchive, isPublic = false }: { isArchive: boolean; isPublic?: boolean },
  ending?: AbortSignal,
): Promise<Output> {
  const path = resolve(place);
  demandFree(path);
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new OutputFault(`There is no folder ${dirname(path)} that ${basename(path)} could be in.`);
  const unfinished = join(dirname(path), `.${basename(path).slice(0, 100)}-${newFolderName()}`);
  return isArchive || path.toLowerCase().endsWith(".zip")
    ? await archiveAt(path, unfinished, ending)
    : folderAt(path, unfinished, isPublic ? PUBLIC : PRIVATE, ending);
}

function demandFree(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !(found.isDirectory() && readdirSync(path).length === 0))
    throw new OutputFault(`${path} is there already: name a place where nothing is, or an empty folder.`);
}

/** Who exports writes to another disk than the server's, maybe: it is told of which. */
async function written<Result>(
  place: string,
  ending: AbortSignal | undefined,
  write: () => Promise<Result>,
): Promise<Result> {
  ending?.throwIfAborted();
  try {
    return await write();
  } catch (fault) {
    if (fault instanceof Error && "code" in fault && fault.code === "EFBIG")
      throw new OutputFault(
        `The disk that ${dirname(place)} is on takes no file as large as this (FAT32 none of 4 GB): nothing was kept of the export. Choose another disk.`,
      );
    if (!asDiskFull(fault)) throw fault;
    throw new OutputFault(
      `The disk that ${dirname(place)} is on is full: nothing was kept of the export. Free some space there, then try again.`,
    );
  }
}

function takeName(path: string, unfinished: string): void {
  demandFree(path);
  if (existsSync(path)) rmdirSync(path);
  renameSync(unfinished, path);
  syncPath(dirname(path));
}

/** Readable by its owner alone: it holds drafts, and readers' addresses. */
async function archiveAt(path: string, unfinished: string, ending?: AbortSignal): Promise<Output> {
  const file = await open(unfinished, "wx", PRIVATE.file);
  let waiting: Uint8Array[] = [];
  let length = 0;
  const flush = async () => {
    const [all] = waiting.length === 1 ? waiting : [Buffer.concat(waiting)];
    [waiting, length] = [[], 0];
    if (all) await written(path, ending, () => writeFully(file, all));
  };
  const zip = new ZipWriting(async (bytes) => {
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
      await written(path, ending, () => file.sync());
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
  const made = new Set<string>();
  const put = async (name: string, at: Date, pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) => {
    const file = join(unfinished, name);
    const opened = await written(path, ending, async () => {
      if (!made.has(dirname(file))) await makeFolder(dirname(file), mode.folder);
      if (made.size >= FOLDERS_KNOWN) made.clear();
      made.add(dirname(file));
      return await open(file, "wx", PRIVATE.file);
    });
    try {
      for await (const piece of pieces) await written(path, ending, () => writeFully(opened, piece));
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

/** And those above it that are missing. @param mode whatever the process takes from those it makes */
async function makeFolder(folder: string, mode: number): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let one = folder; one.length >= first.length; one = dirname(one)) await chmod(one, mode);
}
