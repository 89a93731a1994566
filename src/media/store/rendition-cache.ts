import { mkdirSync, renameSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { and, asc, gt, isNotNull } from "drizzle-orm";
import { DAY } from "../../config/units";
import { blobs } from "../../database/schema";
import { errorCode } from "../../errors";
import type { Platen } from "../../platen";
import { totalDiskBytes } from "../../runtime/disk-space";
import { type RecurringTask, recurringTask } from "../../runtime/recurring-task";
import { incomingFolder, mediaFolder, newFolderName } from "../files/media-folder";
import { mediaStore } from "./media-store";

/** Default cache limit as a fraction of the disk. */
const FRACTION_OF_DISK = 1 / 4;
/** The cache size is checked again when new renditions exceed this fraction of the limit. */
const RECHECK_FRACTION = 1 / 8;
/** A cleanup deletes renditions until this fraction of the limit is left. */
const FRACTION_AFTER_CLEANUP = 0.8;
const ROWS_PER_BATCH = 200;

/** database → bytes of renditions made since the last check */
const newBytes = new WeakMap<Platen["db"], number>();

/** Counts bytes of new renditions. Call it for uploads in S3. */
export function recordRenditionBytes({ db }: Platen, bytes: number): void {
  newBytes.set(db, (newBytes.get(db) ?? 0) + bytes);
}

/**
 * Creates the task that limits cached renditions of uploads in S3. It runs daily, at the start, and after many new
 * ones.
 */
export function renditionCacheTask(platen: Platen): RecurringTask {
  return recurringTask(platen, {
    every: DAY,
    isDueSooner: () => (newBytes.get(platen.db) ?? 0) >= maxCacheBytes(platen) * RECHECK_FRACTION,
    complaint: "Cached renditions could not be checked",
    work: (_, signal) => deleteOldestRenditions(platen, signal),
  });
}

function maxCacheBytes({ config: { data, keptSizes } }: Platen): number {
  return keptSizes ?? totalDiskBytes(data) * FRACTION_OF_DISK;
}

/** If the cache exceeds its limit, deletes all renditions of a file, then of the next one, least recently made first. */
export async function deleteOldestRenditions(platen: Platen, signal?: AbortSignal): Promise<void> {
  newBytes.delete(platen.db);
  if (!mediaStore(platen)) return;
  const folders: FolderRenditions[] = [];
  for (const folder of foldersAtStore(platen)) {
    signal?.throwIfAborted();
    folders.push(await sizesIn(platen, folder));
  }
  const limit = maxCacheBytes(platen);
  let bytes = folders.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= limit) return;
  for (const oldest of folders.toSorted((one, other) => one.madeAt - other.madeAt)) {
    if (bytes <= limit * FRACTION_AFTER_CLEANUP) return;
    signal?.throwIfAborted();
    if (oldest.bytes > 0) await deleteSizes(platen, oldest.folder);
    bytes -= oldest.bytes;
  }
}

function* foldersAtStore({ db }: Platen): Generator<string> {
  for (let after = 0; ; ) {
    const { id, folder } = blobs;
    const rows = db
      .select({ id, folder })
      .from(blobs)
      .where(and(isNotNull(blobs.atStore), gt(id, after)))
      .orderBy(asc(id))
      .limit(ROWS_PER_BATCH)
      .all();
    for (const one of rows) yield one.folder;
    after = rows.at(-1)?.id ?? 0;
    if (rows.length < ROWS_PER_BATCH) return;
  }
}

interface FolderRenditions {
  folder: string;
  bytes: number;
  /** Time of the latest rendition in milliseconds. */
  madeAt: number;
}

async function sizesIn(platen: Platen, folder: string): Promise<FolderRenditions> {
  const sum: FolderRenditions = { folder, bytes: 0, madeAt: 0 };
  for (const name of await readdir(mediaFolder(platen, folder, "sizes")).catch(() => [])) {
    const found = await stat(mediaFolder(platen, folder, "sizes", name)).catch(() => null);
    sum.bytes += found?.size ?? 0;
    sum.madeAt = Math.max(sum.madeAt, found?.mtimeMs ?? 0);
  }
  return sum;
}

/** Renames the folder before deleting it, so that new renditions go to a new folder. */
async function deleteSizes(platen: Platen, folder: string): Promise<void> {
  const trash = incomingFolder(platen, newFolderName());
  mkdirSync(incomingFolder(platen), { recursive: true });
  try {
    renameSync(mediaFolder(platen, folder, "sizes"), trash);
  } catch (error) {
    // The upload may have been deleted in the meantime.
    if (errorCode(error) !== "ENOENT") throw error;
  }
  await rm(trash, { recursive: true, force: true });
}
