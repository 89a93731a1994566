import { existsSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { asc, eq, sql } from "drizzle-orm";
import { HOUR } from "../../config/units";
import { accounts, blobs } from "../../database/schema";
import type { StoredFile } from "../../database/tables/media-tables";
import { isToBeDeleted } from "../../media/deleting-media";
import { hashFile, mediaFolder } from "../../media/files/media-folder";
import type { RenditionSource } from "../../media/files/rendition-sizes";
import { objectKey, storeBucket } from "../../media/store/media-store";
import { queuedKeys } from "../../media/store/unwanted-objects";
import { StoreFault } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { isLeftOfRemoval, removedAtStore } from "../removal/removed-media";
import type { CheckFinding } from "./check-findings";
import { thumbnailState } from "./rendition-repair";

/** What a blob's folder may hold besides the served file; names that begin with a dot are not looked at. */
const OURS = ["sizes", "poster.webp"];

interface MediaReport {
  files: number;
  /** What is wrong. */
  faults: CheckFinding[];
  /** What is worth knowing, and no fault. */
  remarks: CheckFinding[];
  /** Names of those in the folder that have not even a thumbnail: it is made when it is asked for. */
  withoutSizes: string[];
}

/** What is known of an uploaded file. */
export type RecordedFile = Pick<
  typeof blobs.$inferSelect,
  "filename" | "byteSize" | "sha256" | "hasPoster" | "createdAt" | "atStore" | keyof RenditionSource
>;

/**
 * Reads every uploaded file and compares it with what was recorded of it; of those at the store, the sizes that it lists.
 * @param progress told how many of how many files are done, and waited for; what it throws ends it
 */
export async function checkMedia(
  platen: Platen,
  progress: (done: number, all: number) => void | Promise<void>,
): Promise<MediaReport> {
  // Before the rows are: a file that arrives in between is known then.
  const folders = await namesIn(mediaFolder(platen));
  const all = listRecordedFiles(platen);
  const copied = copyTime(platen);
  const report: MediaReport = { files: all.length, faults: [], remarks: [], withoutSizes: [] };
  const store = await atStore(platen, all);
  report.faults.push(...store.faults);
  report.remarks.push(...store.remarks);
  for (const [done, blob] of all.entries()) {
    await progress(done, all.length);
    if (!blob.atStore && isLateForCopy(platen, blob, copied))
      report.remarks.push({
        kind: "files are missing that were uploaded while this copy was made",
        sentence: `${nameOf(blob)} is missing: it was uploaded while this copy of the folder was made.`,
      });
    else {
      const faults = blob.atStore ? [] : await faultsOf(platen, blob);
      if (faults.length > 0 && !isAsItWas(platen, blob)) continue;
      report.faults.push(...faults);
      const isThere = blob.atStore ?? existsSync(mediaFolder(platen, blob.folder, blob.filename));
      const sizes = isThere ? await thumbnailState(platen, blob) : "there";
      if (sizes === "missing" && !blob.atStore) report.withoutSizes.push(nameOf(blob));
      if (sizes === "blank") report.remarks.push(blank(nameOf(blob)));
    }
    report.remarks.push(...(await strangersBeside(platen, blob)));
  }
  await progress(all.length, all.length);
  const known = new Set(all.map((blob) => blob.folder));
  for (const name of folders.filter((name) => !known.has(name) && !isToBeDeleted(platen, name)))
    report.remarks.push(
      isLeftOfRemoval(platen, name) ? leftOver(`media/${name}`) : stranger(`media/${name}`),
    );
  return report;
}

/** Only the columns that are read: the database may be an older one. */
export function listRecordedFiles(platen: Platen): RecordedFile[] {
  const { folder, filename, byteSize, sha256, hasPoster, createdAt } = blobs;
  const { mediaType, isAnimated, width, height } = blobs;
  return platen.db
    .select({
      ...{ folder, filename, byteSize, sha256, hasPoster, createdAt },
      ...{ mediaType, isAnimated, width, height },
      atStore: knowsStores(platen) ? blobs.atStore : sql<null>`NULL`,
    })
    .from(blobs)
    .orderBy(asc(blobs.id))
    .all();
}

function knowsStores({ db }: Pick<Platen, "db">): boolean {
  const column = "SELECT 1 FROM pragma_table_info('blobs') WHERE name = 'at_store'";
  return db.$client.query(column).get() !== null;
}

/** What is wrong with what should be at the store. */
async function atStore(
  platen: Platen,
  all: RecordedFile[],
): Promise<Pick<MediaReport, "faults" | "remarks">> {
  const files = all.flatMap(({ folder, atStore }) =>
    (atStore ?? []).map((file) => ({ folder, atStore, file })),
  );
  const bucket = storeBucket(platen);
  if (!bucket) return { faults: files.map((one) => storeFinding("no store is known", one, "")), remarks: [] };
  try {
    const unwanted = new Set(queuedKeys(platen));
    const listed = await bucket.list("media/");
    const faults = files.flatMap((one) => {
      const size = listed.get(objectKey(one.folder, one.file.name));
      if (size === one.file.size || !isAsItWas(platen, one)) return [];
      const says = size === undefined ? "is missing" : `has ${size} bytes; it had ${one.file.size}`;
      return [storeFinding(says, one, bucket.address)];
    });
    // With what was uploaded meanwhile.
    const known = new Set([...all, ...listRecordedFiles(platen)].map(({ folder }) => folder));
    const removed = removedAtStore(platen);
    const remarks = [...listed.keys()].flatMap((key) => {
      const [, folder = ""] = key.split("/");
      const name = `${bucket.address}/${key}`;
      if (known.has(folder)) return [];
      if (unwanted.has(key)) return [waiting(name)];
      const copy = removed.get(folder);
      return [copy === undefined ? stranger(name) : ofRemoved(name, copy)];
    });
    return { faults, remarks };
  } catch (fault) {
    if (!(fault instanceof StoreFault)) throw fault;
    const kind = "stores cannot be reached";
    const sentence = `${fault.message.replace(/\.$/, "")}; files there (${files.length}) were not looked at.`;
    return { faults: [{ kind, sentence }], remarks: [] };
  }
}

/** Deleted, replaced, moved to the store or back while all were read, it is no fault that it is elsewhere. */
function isAsItWas({ db }: Platen, { folder, atStore }: Pick<RecordedFile, "folder" | "atStore">): boolean {
  const now = db
    .select({ isAtStore: knowsStores({ db }) ? sql<number>`at_store IS NOT NULL` : sql<number>`0` })
    .from(blobs)
    .where(eq(blobs.folder, folder))
    .get();
  return now !== undefined && Boolean(now.isAtStore) === (atStore !== null);
}

/** An upload's folder appears whole: where it is missing altogether, a copy may have been begun before it came. */
function isLateForCopy(
  platen: Platen,
  { folder, createdAt }: RecordedFile,
  copied: CopyTime | null,
): boolean {
  if (!copied || existsSync(mediaFolder(platen, folder))) return false;
  return createdAt >= copied.from && createdAt <= copied.until;
}

async function faultsOf(platen: Platen, blob: RecordedFile): Promise<CheckFinding[]> {
  const path = mediaFolder(platen, blob.folder, blob.filename);
  const faults: CheckFinding[] = [];
  const name = nameOf(blob);
  if (!existsSync(path)) faults.push(missing(name));
  else if ((await stat(path)).size !== blob.byteSize)
    faults.push({
      kind: "files have another size than they had",
      sentence: `${name} has ${(await stat(path)).size} bytes; it had ${blob.byteSize}.`,
    });
  else if ((await hashFile(path)) !== blob.sha256)
    faults.push({ kind: "files are not what was stored", sentence: `${name} is not what was stored.` });
  if (blob.hasPoster && !existsSync(mediaFolder(platen, blob.folder, "poster.webp")))
    faults.push(missing(`media/${blob.folder}/poster.webp`));
  return faults;
}

const missing = (name: string): CheckFinding => ({
  kind: "files are missing",
  sentence: `${name} is missing.`,
});

const storeFinding = (
  says: string,
  { folder, file }: { folder: string; file: StoredFile },
  address: string,
): CheckFinding => ({
  kind: "files at the store are not what was sent there",
  sentence: `${address && `${address}/`}${objectKey(folder, file.name)} ${says}.`,
});

const blank = (name: string): CheckFinding => {
  const sentence = `${name} is shown as a blank, since it could not be decoded: --repair tries again.`;
  return { kind: "pictures are shown as a blank", sentence };
};

const stranger = (name: string): CheckFinding => {
  return { kind: "files belong to no upload", sentence: `${name} belongs to no upload.` };
};

const waiting = (name: string): CheckFinding => {
  const sentence = `${name} was deleted here, and waits to be deleted there: the server does that, or platen media move.`;
  return { kind: "objects wait to be deleted at the store", sentence };
};

const ofRemoved = (name: string, copy: string): CheckFinding => {
  const sentence = `${name} belongs to what was removed: removed/${copy} refers to it.`;
  return { kind: "objects at the store belong to what was removed", sentence };
};

const leftOver = (name: string): CheckFinding => {
  const sentence = `${name} belongs to what was removed, and has its copy: the server deletes it when it starts.`;
  return { kind: "files belong to what was removed", sentence };
};

async function strangersBeside(platen: Platen, { folder, filename }: RecordedFile): Promise<CheckFinding[]> {
  const names = await namesIn(mediaFolder(platen, folder));
  return names
    .filter((name) => name !== filename && !OURS.includes(name))
    .map((name) => stranger(`media/${folder}/${name}`));
}

/** Without those that begin with a dot. */
async function namesIn(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  return (await readdir(folder)).filter((name) => !name.startsWith(".")).sort();
}

function nameOf({ folder, filename }: RecordedFile): string {
  return `media/${folder}/${filename}`;
}

/** The longest that copying the media may take after the database was copied, in milliseconds: an estimate. */
const COPY_LASTS = HOUR;

export interface CopyTime {
  from: Date;
  until: Date;
}

/**
 * When this data folder was made by copying another one; null where it was not. A copy is known by its database file:
 * the file system has it younger than the oldest account in it. A backup that was restored counts as a copy for ever.
 */
export function copyTime(platen: Platen): CopyTime | null {
  const createdAt = accounts.createdAt;
  const oldest = platen.db.select({ createdAt }).from(accounts).orderBy(asc(createdAt)).limit(1).get();
  const database = bornAt(join(platen.config.data, "platen.db"));
  if (!oldest || oldest.createdAt.getTime() >= database) return null;
  const media = mediaFolder(platen);
  const from = existsSync(media) ? Math.min(database, bornAt(media)) : database;
  return { from: new Date(from), until: new Date(database + COPY_LASTS) };
}

/** In milliseconds since 1970; 0 where the file system does not tell, so that nothing counts as copied. */
function bornAt(path: string): number {
  return statSync(path).birthtimeMs;
}
