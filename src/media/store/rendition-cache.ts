import { mkdirSync, renameSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { and, asc, gt, isNotNull } from "drizzle-orm";
import { DAY } from "../../config/units";
import { blobs } from "../../database/schema";
import type { Platen } from "../../platen";
import { totalDiskBytes } from "../../runtime/disk-space";
import { type RecurringTask, recurringTask } from "../../runtime/recurring-task";
import { incomingFolder, mediaFolder, newFolderName } from "../files/media-folder";
import { mediaStore } from "./media-store";

/** The part of the disk that they may take where no setting says how much. */
const PART_OF_DISK = 1 / 4;
/** They are looked through again once this part of what they may take was made. */
const LOOKED_THROUGH_AFTER = 1 / 8;
/** Of what they may take, what is left when some were deleted. */
const LEFT = 0.8;
/** Uploads read from the database in one go. */
const AT_ONCE = 200;

/** Platen → bytes of sizes made by this process since they were looked through. */
const made = new WeakMap<Platen["db"], number>();

/** To be called when sizes were made of an upload that is at the store. @param bytes of them */
export function recordRenditionBytes({ db }: Platen, bytes: number): void {
  made.set(db, (made.get(db) ?? 0) + bytes);
}

/**
 * The sizes of uploads at the store are in the folder, and are made again of what is there: so they are a cache, with a
 * bound. Looked through once a day, when the server starts, and when many were made. `step` is to be called every few
 * seconds.
 */
export function renditionCacheTask(platen: Platen): RecurringTask {
  return recurringTask(platen, {
    every: DAY,
    isDueSooner: () => (made.get(platen.db) ?? 0) >= mostKept(platen) * LOOKED_THROUGH_AFTER,
    complaint: "Sizes of pictures could not be looked through",
    work: (_, signal) => deleteOldestRenditions(platen, signal),
  });
}

/** In bytes. */
function mostKept({ config: { data, keptSizes } }: Platen): number {
  return keptSizes ?? totalDiskBytes(data) * PART_OF_DISK;
}

/** Where they take more than they may, those of the uploads whose sizes were made the longest ago go, an upload's all together. */
export async function deleteOldestRenditions(platen: Platen, signal?: AbortSignal): Promise<void> {
  made.delete(platen.db);
  if (!mediaStore(platen)) return;
  const kept: KeptSizes[] = [];
  for (const folder of foldersAtStore(platen)) {
    signal?.throwIfAborted();
    kept.push(await sizesIn(platen, folder));
  }
  const most = mostKept(platen);
  let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= most) return;
  for (const oldest of kept.toSorted((one, other) => one.madeAt - other.madeAt)) {
    if (bytes <= most * LEFT) return;
    signal?.throwIfAborted();
    if (oldest.bytes > 0) await deleteSizes(platen, oldest.folder);
    bytes -= oldest.bytes;
  }
}

function* foldersAtStore({ db }: Platen): Generator<string> {
  for (let after = 0; ; ) {
    const { id, folder } = blobs;
    const some = db
      .select({ id, folder })
      .from(blobs)
      .where(and(isNotNull(blobs.atStore), gt(id, after)))
      .orderBy(asc(id))
      .limit(AT_ONCE)
      .all();
    for (const one of some) yield one.folder;
    after = some.at(-1)?.id ?? 0;
    if (some.length < AT_ONCE) return;
  }
}

interface KeptSizes {
  folder: string;
  bytes: number;
  /** The last of them, in milliseconds since 1970. */
  madeAt: number;
}

async function sizesIn(platen: Platen, folder: string): Promise<KeptSizes> {
  const sum: KeptSizes = { folder, bytes: 0, madeAt: 0 };
  for (const name of await readdir(mediaFolder(platen, folder, "sizes")).catch(() => [])) {
    const found = await stat(mediaFolder(platen, folder, "sizes", name)).catch(() => null);
    sum.bytes += found?.size ?? 0;
    sum.madeAt = Math.max(sum.madeAt, found?.mtimeMs ?? 0);
  }
  return sum;
}

/** At once, by another name: those that are made at this moment are put into a folder of their own. */
async function deleteSizes(platen: Platen, folder: string): Promise<void> {
  const away = incomingFolder(platen, newFolderName());
  mkdirSync(incomingFolder(platen), { recursive: true });
  try {
    renameSync(mediaFolder(platen, folder, "sizes"), away);
  } catch (fault) {
    // The upload was deleted meanwhile.
    if ((fault as { code?: string }).code !== "ENOENT") throw fault;
  }
  await rm(away, { recursive: true, force: true });
}
