import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { THEMES } from "../../blogs/folder-themes";
import { filesBelow, PUBLIC } from "../../blogs/public-files";
import { SECOND } from "../../config/units";
import { openReadOnly } from "../../database/open";
import { writeVerifiedCopy } from "../../database/verified-copy";
import { errorCode } from "../../errors";
import { hashFile, mediaFolder } from "../../media/files/media-folder";
import type { Platen } from "../../platen";
import { timestampName } from "../../runtime/files";
import { version } from "../../version";
import { type CheckFinding, finding, isPlatenDatabase } from "../check/database-check";
import { listRecordedFiles, type RecordedFile } from "../check/media-check";
import { assertUploadsHaveAccount } from "../recovery/damaged-database";
import type { BackedUpFile, BackupStore, UnfinishedBackup } from "./backup-contents";
import { BackupError, listBackupFiles, readContents } from "./backup-contents";

export type MadeBackup = Awaited<ReturnType<typeof makeBackup>>;

/**
 * The folder may be served at the same time. The backup contains all writes acknowledged before the start.
 * @param progress called with the number of copied uploads and of all uploads
 */
export async function makeBackup(
  platen: Platen,
  store: BackupStore,
  progress: (done: number, all: number) => void,
) {
  if (!isPlatenDatabase(platen)) throw new BackupError("platen.db is not a Platen database.");
  assertUploadsHaveAccount(platen);
  const names = await store.names();
  const at = freeStartTime(platen.now(), names);
  const name = timestampName(at);
  const last = await newestBackup(store, names);
  const backup = await store.begin(name);
  try {
    const copier = mediaCopier(platen, backup, last);
    const recorded = await copyConsistently(platen, backup, copier, progress);
    const media = recorded.flatMap((file) => copier.copied.get(file.folder) ?? []);
    const added = copier.added();
    const remarks = recorded.flatMap((file) => fileRemarks(file, copier.copied.get(file.folder) ?? []));
    await backup.finish({
      platen: version,
      at: at.toISOString(),
      media,
      public: await copyOwnFiles(platen, copier, PUBLIC, remarks),
      themes: await copyOwnFiles(platen, copier, THEMES, remarks),
      database: await describeFile(backup.database, "platen.db"),
    });
    const atStore = recorded.filter(({ atStore }) => atStore !== null).length;
    return { name, at, files: media.length, added, atStore, remarks };
  } finally {
    await backup.discard();
  }
}

function freeStartTime(at: Date, names: string[]): Date {
  return names.includes(timestampName(at)) ? freeStartTime(new Date(at.getTime() + SECOND), names) : at;
}

type EarlierBackup = Awaited<ReturnType<typeof newestBackup>>;

async function newestBackup(store: BackupStore, names: string[]) {
  for (const name of names.toReversed())
    try {
      const files = listBackupFiles(await readContents(store, name));
      return { name, files: new Map(files.map((file) => [file.path, file])) };
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
    }
  return null;
}

/**
 * Starts over if files were deleted or moved while they were copied.
 * @returns the files that the copied database lists
 */
async function copyConsistently(
  platen: Platen,
  backup: UnfinishedBackup,
  copier: MediaCopier,
  progress: (done: number, all: number) => void,
): Promise<RecordedFile[]> {
  for (;;) {
    rmSync(backup.database, { force: true });
    writeVerifiedCopy(platen.db.$client, backup.database);
    const recorded = filesInDatabase(platen, backup.database);
    for (const [done, file] of recorded.entries()) {
      progress(done, recorded.length);
      await copier.take(file);
    }
    progress(recorded.length, recorded.length);
    const missing = recorded.filter(
      ({ folder, filename }) =>
        !copier.copied.get(folder)?.some(({ path }) => path === `media/${folder}/${filename}`),
    );
    const now = new Map(
      missing.length > 0
        ? listRecordedFiles(platen).map(({ folder, atStore }) => [folder, atStore !== null])
        : [],
    );
    if (missing.every(({ folder, atStore }) => now.get(folder) === (atStore !== null))) return recorded;
  }
}

function filesInDatabase(platen: Platen, database: string): RecordedFile[] {
  const db = openReadOnly(database);
  try {
    return listRecordedFiles({ ...platen, db });
  } finally {
    db.$client.close(false);
  }
}

type MediaCopier = ReturnType<typeof mediaCopier>;

/** Unreadable files become remarks. */
async function copyOwnFiles(platen: Platen, copier: MediaCopier, folder: string, remarks: CheckFinding[]) {
  const files: BackedUpFile[] = [];
  for (const path of await filesBelow(join(platen.config.data, folder))) {
    const place = `${folder}/${path}`;
    try {
      files.push(await copier.copyFile(place));
    } catch (error) {
      if (errorCode(error) === "ENOENT") continue;
      if (!["EACCES", "EPERM"].includes(errorCode(error))) throw error;
      const sentence = `${place} cannot be read, so it is not in the backup.`;
      remarks.push(finding("files in the data folder cannot be read", sentence));
    }
  }
  return files;
}

/** A file with the same size and modification time as in the last backup counts as unchanged. */
function mediaCopier(platen: Platen, backup: UnfinishedBackup, last: EarlierBackup) {
  const copied = new Map<string, BackedUpFile[]>();
  let added = 0;
  const copyFile = async (path: string): Promise<BackedUpFile> => {
    const source = join(platen.config.data, path);
    const { size, mtimeMs } = statSync(source);
    const known = last?.files.get(path);
    const isSame = known && known.size === size && known.modified === Math.trunc(mtimeMs);
    if (last && isSame && (await backup.reuse(last.name, known))) return known;
    const file = await describeFile(source, path);
    await backup.add(source, file);
    added++;
    return file;
  };
  return {
    copied,
    copyFile,
    added: () => added,
    async take({ folder }: RecordedFile): Promise<void> {
      if (copied.has(folder)) return;
      try {
        const files: BackedUpFile[] = [];
        for (const entry of readdirSync(mediaFolder(platen, folder), { withFileTypes: true }))
          if (entry.isFile()) files.push(await copyFile(`media/${folder}/${entry.name}`));
        copied.set(folder, files);
      } catch (error) {
        // `copyConsistently` starts over if the file was deleted in the meantime.
        if (errorCode(error) !== "ENOENT") throw error;
      }
    },
  };
}

async function describeFile(source: string, path: string): Promise<BackedUpFile> {
  const { size, mtimeMs } = statSync(source);
  return { path, size, modified: Math.trunc(mtimeMs), sha256: await hashFile(source) };
}

function fileRemarks({ folder, filename, sha256, atStore }: RecordedFile, files: BackedUpFile[]) {
  const path = `media/${folder}/${filename}`;
  const file = files.find((file) => file.path === path);
  if (atStore || file?.sha256 === sha256) return [];
  if (!file)
    return [finding("files are missing from the data folder", `${path} is missing from the data folder.`)];
  const sentence = `${path} in the data folder has changed since it was uploaded.`;
  return [finding("files are damaged in the data folder", sentence)];
}
