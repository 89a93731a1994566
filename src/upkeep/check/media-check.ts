import { existsSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { asc, sql } from "drizzle-orm";
import { HOUR } from "../../config/units";
import { findRows } from "../../database/rows";
import { accounts, blobs } from "../../database/schema";
import { isToBeDeleted } from "../../media/deleting-media";
import { hashFile, mediaFolder } from "../../media/files/media-folder";
import { objectKey, queuedKeys, storeBucket } from "../../media/files/media-store";
import {
  areRenditionsMissing,
  ensureRenditions,
  remakeRenditions,
  thumbnailState,
} from "../../media/renditions";
import { StoreError } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { isLeftOfRemoval, removedAtStore } from "../removal/removed-media";
import { type CheckFinding, finding } from "./database-check";

const KNOWN_NAMES = ["sizes", "poster.webp"];

interface MediaReport {
  files: number;
  problems: CheckFinding[];
  remarks: CheckFinding[];
  withoutSizes: string[];
}

export type RecordedFile = ReturnType<typeof listRecordedFiles>[number];

export async function checkMedia(platen: Platen, progress: (done: number, all: number) => void) {
  // Listed before the rows are read, so that new uploads are not reported as unknown.
  const folders = await visibleNames(mediaFolder(platen));
  const all = listRecordedFiles(platen);
  const copied = copyTime(platen);
  const store = await checkStore(platen, all);
  const report: MediaReport = { files: all.length, ...store, withoutSizes: [] };
  for (const [done, blob] of all.entries()) {
    progress(done, all.length);
    await checkFile(platen, blob, copied, report);
    for (const name of await visibleNames(mediaFolder(platen, blob.folder)))
      if (name !== blob.filename && !KNOWN_NAMES.includes(name))
        report.remarks.push(unknownFile(`media/${blob.folder}/${name}`));
  }
  progress(all.length, all.length);
  const known = new Set(all.map((blob) => blob.folder));
  for (const name of folders.filter((name) => !known.has(name) && !isToBeDeleted(platen, name))) {
    const sentence = `media/${name} belongs to a removed blog. The copy in removed/ has it too; the server deletes this one when it next starts.`;
    const isLeft = isLeftOfRemoval(platen, name);
    report.remarks.push(
      isLeft ? finding("files belong to removed blogs", sentence) : unknownFile(`media/${name}`),
    );
  }
  return report;
}

/** Adds the problems of one upload to the report. */
async function checkFile(platen: Platen, blob: RecordedFile, copied: CopyTime | null, report: MediaReport) {
  const name = mediaPath(blob);
  if (!blob.atStore && isNewerThanCopy(platen, blob, copied)) {
    const kind = "files are missing that were uploaded while this copy was made";
    const sentence = `${name} is missing: it was uploaded while this copy of the folder was made.`;
    return void report.remarks.push(finding(kind, sentence));
  }
  const problems = blob.atStore ? [] : await fileProblems(platen, blob);
  if (problems.length > 0 && !isUnchanged(platen, blob)) return;
  report.problems.push(...problems);
  const isThere = blob.atStore ?? existsSync(mediaFolder(platen, blob.folder, blob.filename));
  const sizes = isThere ? await thumbnailState(platen, blob) : "there";
  if (sizes === "missing" && !blob.atStore) report.withoutSizes.push(name);
  const blank = `${name} could not be decoded and is shown blank; --repair tries again.`;
  if (sizes === "blank") report.remarks.push(finding("pictures are shown blank", blank));
}

/** Must also work with databases of older versions, which lack some columns. */
export function listRecordedFiles(platen: Platen) {
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

function hasStoreColumn({ db }: Platen): boolean {
  const column = "SELECT 1 FROM pragma_table_info('blobs') WHERE name = 'at_store'";
  return db.$client.query(column).get() !== null;
}

async function checkStore(platen: Platen, all: RecordedFile[]) {
  const files = all.flatMap(({ folder, atStore }) =>
    (atStore ?? []).map(({ name, size }) => ({ folder, atStore, key: objectKey(folder, name), size })),
  );
  const wrongObject = (sentence: string) => finding("files in the object store are wrong", sentence);
  const bucket = storeBucket(platen);
  if (!bucket) {
    const sentences = files.map(
      ({ key }) => `${key} was moved to a bucket that this database does not name.`,
    );
    return { problems: sentences.map(wrongObject), remarks: [] };
  }
  try {
    const unwanted = new Set(queuedKeys(platen));
    const listed = await bucket.list("media/");
    const problems = files.flatMap((file) => {
      const size = listed.get(file.key);
      if (size === file.size || !isUnchanged(platen, file)) return [];
      const message = size === undefined ? "is missing" : `has ${size} bytes instead of ${file.size}`;
      return [wrongObject(`${bucket.address}/${file.key} ${message}.`)];
    });
    // Read again, because new uploads may have been moved to the object store during the listing.
    const known = new Set([...all, ...listRecordedFiles(platen)].map(({ folder }) => folder));
    const removed = removedAtStore(platen);
    const remarks = [...listed.keys()].flatMap((key) => {
      const [, folder = ""] = key.split("/");
      const name = `${bucket.address}/${key}`;
      if (known.has(folder)) return [];
      if (unwanted.has(key))
        return finding(
          "objects are queued for deletion in the object store",
          `${name} was deleted in Platen; the server or platen media move will delete it from the object store.`,
        );
      const copy = removed.get(folder);
      if (copy === undefined) return unknownFile(name);
      return finding(
        "objects belong to removed blogs",
        `${name} belongs to a removed blog: removed/${copy} refers to it.`,
      );
    });
    return { problems, remarks };
  } catch (problem) {
    if (!(problem instanceof StoreError)) throw problem;
    const sentence = `${problem.message.replace(/\.$/, "")}; its files (${files.length}) were not checked.`;
    return { problems: [finding("object stores cannot be reached", sentence)], remarks: [] };
  }
}

function isUnchanged({ db }: Platen, { folder, atStore }: Pick<RecordedFile, "folder" | "atStore">): boolean {
  const find = db.$client.query<{ at_store?: string | null }, [string]>(
    "SELECT * FROM blobs WHERE folder = ?",
  );
  const now = find.get(folder);
  return now !== null && Boolean(now.at_store) === (atStore !== null);
}

function isNewerThanCopy(platen: Platen, { folder, createdAt }: RecordedFile, copied: CopyTime | null) {
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
    problems.push(
      finding("files have a different size", `${name} has ${size} bytes instead of ${blob.byteSize}.`),
    );
  else if ((await hashFile(path)) !== blob.sha256)
    problems.push(finding("files have changed", `${name} has changed since it was uploaded.`));
  if (blob.hasPoster && !existsSync(mediaFolder(platen, blob.folder, "poster.webp")))
    problems.push(missingFile(`media/${blob.folder}/poster.webp`));
  return problems;
}

const missingFile = (name: string) => finding("files are missing", `${name} is missing.`);
const unknownFile = (name: string) => finding("files belong to no upload", `${name} belongs to no upload.`);

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
  const [oldest] = findRows(platen, accounts, undefined, {
    columns: ["createdAt"],
    orderBy: createdAt,
    limit: 1,
  });
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

/**
 * Retries blank renditions, and creates missing ones. Files in the object store may lack renditions.
 * @param progress awaited; throws to stop the repair
 * @returns the number of repaired files
 */
export async function repairRenditions(
  platen: Platen,
  progress: (done: number, all: number) => void | Promise<void>,
): Promise<number> {
  let repaired = 0;
  const all = findRows(platen, blobs, undefined, { orderBy: blobs.id });
  for (const [done, blob] of all.entries()) {
    await progress(done, all.length);
    const isBlank = (await thumbnailState(platen, blob)) === "blank";
    if (!isBlank && (blob.atStore || !areRenditionsMissing(platen, blob))) continue;
    await (isBlank ? remakeRenditions : ensureRenditions)(platen, blob);
    if ((await thumbnailState(platen, blob)) === "there" && !areRenditionsMissing(platen, blob)) repaired++;
  }
  await progress(all.length, all.length);
  return repaired;
}
