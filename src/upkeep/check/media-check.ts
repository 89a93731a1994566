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
import { thumbnailState } from "../../media/images/renditions";
import { objectKey, queuedKeys, storeBucket } from "../../media/store/media-store";
import { StoreError } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { isLeftOfRemoval, removedAtStore } from "../removal/removed-media";
import type { CheckFinding } from "./check-findings";

const KNOWN_NAMES = ["sizes", "poster.webp"];

interface MediaReport {
  files: number;
  problems: CheckFinding[];
  remarks: CheckFinding[];
  withoutSizes: string[];
}

export type RecordedFile = Pick<
  typeof blobs.$inferSelect,
  "filename" | "byteSize" | "sha256" | "hasPoster" | "createdAt" | "atStore" | keyof RenditionSource
>;

export async function checkMedia(
  platen: Platen,
  progress: (done: number, all: number) => void,
): Promise<MediaReport> {
  // Listed before the rows are read, so that new uploads are not reported as unknown.
  const folders = await visibleNames(mediaFolder(platen));
  const all = listRecordedFiles(platen);
  const copied = copyTime(platen);
  const report: MediaReport = { files: all.length, problems: [], remarks: [], withoutSizes: [] };
  const store = await checkStore(platen, all);
  report.problems.push(...store.problems);
  report.remarks.push(...store.remarks);
  for (const [done, blob] of all.entries()) {
    progress(done, all.length);
    if (!blob.atStore && isNewerThanCopy(platen, blob, copied))
      report.remarks.push({
        kind: "files are missing that were uploaded while this copy was made",
        sentence: `${mediaPath(blob)} is missing: it was uploaded while this copy of the folder was made.`,
      });
    else {
      const problems = blob.atStore ? [] : await fileProblems(platen, blob);
      if (problems.length > 0 && !isUnchanged(platen, blob)) continue;
      report.problems.push(...problems);
      const isThere = blob.atStore ?? existsSync(mediaFolder(platen, blob.folder, blob.filename));
      const sizes = isThere ? await thumbnailState(platen, blob) : "there";
      if (sizes === "missing" && !blob.atStore) report.withoutSizes.push(mediaPath(blob));
      if (sizes === "blank") report.remarks.push(blankPicture(mediaPath(blob)));
    }
    report.remarks.push(...(await unknownFiles(platen, blob)));
  }
  progress(all.length, all.length);
  const known = new Set(all.map((blob) => blob.folder));
  for (const name of folders.filter((name) => !known.has(name) && !isToBeDeleted(platen, name)))
    report.remarks.push(
      isLeftOfRemoval(platen, name) ? removedLeftover(`media/${name}`) : unknownFile(`media/${name}`),
    );
  return report;
}

/** Must also work with databases of older versions, which lack some columns. */
export function listRecordedFiles(platen: Platen): RecordedFile[] {
  const { folder, filename, byteSize, sha256, hasPoster, createdAt } = blobs;
  const { mediaType, isAnimated, width, height } = blobs;
  return platen.db
    .select({
      ...{ folder, filename, byteSize, sha256, hasPoster, createdAt },
      ...{ mediaType, isAnimated, width, height },
      atStore: hasStoreColumn(platen) ? blobs.atStore : sql<null>`NULL`,
    })
    .from(blobs)
    .orderBy(asc(blobs.id))
    .all();
}

function hasStoreColumn({ db }: Pick<Platen, "db">): boolean {
  const column = "SELECT 1 FROM pragma_table_info('blobs') WHERE name = 'at_store'";
  return db.$client.query(column).get() !== null;
}

async function checkStore(
  platen: Platen,
  all: RecordedFile[],
): Promise<Pick<MediaReport, "problems" | "remarks">> {
  const files = all.flatMap(({ folder, atStore }) =>
    (atStore ?? []).map((file) => ({ folder, atStore, file })),
  );
  const bucket = storeBucket(platen);
  if (!bucket)
    return {
      problems: files.map((one) => storeFinding("is in an unknown object store", one, "")),
      remarks: [],
    };
  try {
    const unwanted = new Set(queuedKeys(platen));
    const listed = await bucket.list("media/");
    const problems = files.flatMap((one) => {
      const size = listed.get(objectKey(one.folder, one.file.name));
      if (size === one.file.size || !isUnchanged(platen, one)) return [];
      const message = size === undefined ? "is missing" : `has ${size} bytes instead of ${one.file.size}`;
      return [storeFinding(message, one, bucket.address)];
    });
    // Read again, because new uploads may have been moved to the object store during the listing.
    const known = new Set([...all, ...listRecordedFiles(platen)].map(({ folder }) => folder));
    const removed = removedAtStore(platen);
    const remarks = [...listed.keys()].flatMap((key) => {
      const [, folder = ""] = key.split("/");
      const name = `${bucket.address}/${key}`;
      if (known.has(folder)) return [];
      if (unwanted.has(key)) return [queuedObject(name)];
      const copy = removed.get(folder);
      return [copy === undefined ? unknownFile(name) : removedObject(name, copy)];
    });
    return { problems, remarks };
  } catch (problem) {
    if (!(problem instanceof StoreError)) throw problem;
    const kind = "object stores cannot be reached";
    const sentence = `${problem.message.replace(/\.$/, "")}; its files (${files.length}) were not checked.`;
    return { problems: [{ kind, sentence }], remarks: [] };
  }
}

function isUnchanged({ db }: Platen, { folder, atStore }: Pick<RecordedFile, "folder" | "atStore">): boolean {
  const now = db
    .select({ isAtStore: hasStoreColumn({ db }) ? sql<number>`at_store IS NOT NULL` : sql<number>`0` })
    .from(blobs)
    .where(eq(blobs.folder, folder))
    .get();
  return now !== undefined && Boolean(now.isAtStore) === (atStore !== null);
}

function isNewerThanCopy(
  platen: Platen,
  { folder, createdAt }: RecordedFile,
  copied: CopyTime | null,
): boolean {
  if (!copied || existsSync(mediaFolder(platen, folder))) return false;
  return createdAt >= copied.from && createdAt <= copied.until;
}

async function fileProblems(platen: Platen, blob: RecordedFile): Promise<CheckFinding[]> {
  const path = mediaFolder(platen, blob.folder, blob.filename);
  const problems: CheckFinding[] = [];
  const name = mediaPath(blob);
  const size = (await stat(path).catch(() => null))?.size;
  if (size === undefined) problems.push(missingFile(name));
  else if (size !== blob.byteSize)
    problems.push({
      kind: "files have a different size",
      sentence: `${name} has ${size} bytes instead of ${blob.byteSize}.`,
    });
  else if ((await hashFile(path)) !== blob.sha256)
    problems.push({ kind: "files have changed", sentence: `${name} has changed since it was uploaded.` });
  if (blob.hasPoster && !existsSync(mediaFolder(platen, blob.folder, "poster.webp")))
    problems.push(missingFile(`media/${blob.folder}/poster.webp`));
  return problems;
}

const missingFile = (name: string): CheckFinding => ({
  kind: "files are missing",
  sentence: `${name} is missing.`,
});

const storeFinding = (
  message: string,
  { folder, file }: { folder: string; file: StoredFile },
  address: string,
): CheckFinding => ({
  kind: "files in the object store are wrong",
  sentence: `${address && `${address}/`}${objectKey(folder, file.name)} ${message}.`,
});

const blankPicture = (name: string): CheckFinding => ({
  kind: "pictures are shown blank",
  sentence: `${name} could not be decoded and is shown blank; --repair tries again.`,
});

const unknownFile = (name: string): CheckFinding => ({
  kind: "files belong to no upload",
  sentence: `${name} belongs to no upload.`,
});

const queuedObject = (name: string): CheckFinding => ({
  kind: "objects are queued for deletion in the object store",
  sentence: `${name} was deleted in Platen; the server or platen media move will delete it from the object store.`,
});

const removedObject = (name: string, copy: string): CheckFinding => ({
  kind: "objects belong to removed blogs",
  sentence: `${name} belongs to a removed blog: removed/${copy} refers to it.`,
});

const removedLeftover = (name: string): CheckFinding => ({
  kind: "files belong to removed blogs",
  sentence: `${name} belongs to a removed blog. The copy in removed/ has it too; the server deletes this one when it next starts.`,
});

async function unknownFiles(platen: Platen, { folder, filename }: RecordedFile): Promise<CheckFinding[]> {
  const names = await visibleNames(mediaFolder(platen, folder));
  return names
    .filter((name) => name !== filename && !KNOWN_NAMES.includes(name))
    .map((name) => unknownFile(`media/${folder}/${name}`));
}

async function visibleNames(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  return (await readdir(folder)).filter((name) => !name.startsWith(".")).sort();
}

function mediaPath({ folder, filename }: RecordedFile): string {
  return `media/${folder}/${filename}`;
}

const MEDIA_COPY_MS = HOUR;

interface CopyTime {
  from: Date;
  until: Date;
}

/**
 * null if this data folder does not count as a copy. In a copy, the database file is younger than the oldest
 * account.
 */
function copyTime(platen: Platen): CopyTime | null {
  const createdAt = accounts.createdAt;
  const oldest = platen.db.select({ createdAt }).from(accounts).orderBy(asc(createdAt)).limit(1).get();
  const database = creationTime(join(platen.config.data, "platen.db"));
  if (!oldest || oldest.createdAt.getTime() >= database) return null;
  const media = mediaFolder(platen);
  const from = existsSync(media) ? Math.min(database, creationTime(media)) : database;
  return { from: new Date(from), until: new Date(database + MEDIA_COPY_MS) };
}

/** 0 if the file system does not record the time. */
function creationTime(path: string): number {
  return statSync(path).birthtimeMs;
}
