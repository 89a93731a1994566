import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { MINUTE } from "../../config/units";
import { makeDataFolder, openReadOnly } from "../../database/open";
import { findDamageInFile } from "../../database/verified-copy";
import { DatabaseError } from "../../errors";
import { hashFile } from "../../media/files/media-folder";
import type { Database } from "../../platen";
import { giveOwnerAndMode, makeFolderLike, syncPath, timestampName } from "../../runtime/files";
import { isPlatenDatabase } from "../check/database-check";
import { skipLostIds } from "../recovery/database-replacement";
import type { BackedUpFile, BackupStore } from "./backup-contents";
import { BACKUP_NAME, BackupError, backupAddress, OWN_FOLDERS, readContents } from "./backup-contents";
import { openBackupStore } from "./folder-and-s3-backups";

/**
 * @param place a backup, or a folder or bucket whose newest backup is returned
 * @throws BackupError if the folder or bucket has none
 */
export async function findBackup(place: string, data: string): Promise<{ store: BackupStore; name: string }> {
  const isOne = BACKUP_NAME.test(basename(place));
  const store = openBackupStore(isOne ? dirname(place) : place, data);
  const name = isOne ? basename(place) : newestBackup(await store.names());
  if (name === undefined) throw new BackupError(`There is no backup in ${place}.`);
  return { store, name };
}

/**
 * Prefers backups that are not in the future, because a wrong clock may have named those. A second backup in
 * the same second is named after the next second.
 */
function newestBackup(names: string[]): string | undefined {
  const soon = timestampName(new Date(Date.now() + MINUTE));
  return names.findLast((name) => name <= soon) ?? names.at(-1);
}

const UNFINISHED = ".restoring.db";

/**
 * The database is renamed last, so an unfinished restore is not a data folder.
 * @param data an empty or missing folder, or one with an interrupted restore
 * @returns the number of media files
 * @throws any error, after deleting the restored files
 */
export async function restoreBackup(
  store: BackupStore,
  name: string,
  data: string,
  progress: (done: number, all: number) => void,
): Promise<number> {
  assertEmpty(data);
  const contents = await readContents(store, name);
  const { database, media } = contents;
  const own = [...(contents.public ?? []), ...(contents.themes ?? [])];
  const wasThere = existsSync(data);
  makeDataFolder(data);
  try {
    deleteRestored(data);
    const restore = (file: BackedUpFile, path = file.path) =>
      restoreFile(store, name, file, join(data, path), data);
    await restore(database, UNFINISHED);
    makeFolderLike(data, join(data, "media"));
    for (const [done, file] of media.entries()) {
      progress(done, media.length);
      await restore(file);
    }
    progress(media.length, media.length);
    for (const file of own) await restore(file);
    assertPlatenDatabase(join(data, UNFINISHED), backupAddress(store, name));
    skipLostIds(join(data, UNFINISHED));
    syncPath(join(data, UNFINISHED));
    for (const folder of new Set([...media, ...own].map(({ path }) => dirname(path))))
      syncPath(join(data, folder));
    for (const folder of [join(data, "media"), data]) syncPath(folder);
    renameSync(join(data, UNFINISHED), join(data, "platen.db"));
    syncPath(data);
    return media.length;
  } catch (error) {
    deleteRestored(data);
    if (!wasThere) rmSync(data, { recursive: true });
    throw error;
  }
}

function assertEmpty(data: string): void {
  const found = existsSync(data) ? readdirSync(data) : [];
  const isUnfinished =
    found.includes(UNFINISHED) && found.every((name) => [UNFINISHED, "media", ...OWN_FOLDERS].includes(name));
  if (found.length > 0 && !isUnfinished)
    throw new BackupError(`${data} is not empty; restore to an empty or new folder: --data DIR.`);
}

function deleteRestored(data: string): void {
  for (const name of ["media", ...OWN_FOLDERS, UNFINISHED])
    rmSync(join(data, name), { recursive: true, force: true });
}

async function restoreFile(store: BackupStore, name: string, file: BackedUpFile, path: string, data: string) {
  if (!existsSync(dirname(path))) makeFolderLike(data, dirname(path));
  if (!(await store.fetch(name, file, path)))
    throw new BackupError(`${backupAddress(store, name)} is damaged: ${file.path} is missing.`);
  giveOwnerAndMode(data, path, 0o600);
  const { size } = statSync(path);
  if (size !== file.size || (await hashFile(path)) !== file.sha256)
    throw new BackupError(
      `${backupAddress(store, name)} is damaged: ${file.path} differs from the file that was backed up.`,
    );
  utimesSync(path, file.modified / 1000, file.modified / 1000);
  syncPath(path);
}

function assertPlatenDatabase(file: string, backup: string): void {
  let db: Database | undefined;
  try {
    if (findDamageInFile(file) !== null) throw new DatabaseError("it is damaged");
    db = openReadOnly(file);
    if (!isPlatenDatabase({ db })) throw new DatabaseError("it is not a Platen database");
  } catch {
    throw new BackupError(`${backup} is damaged: its platen.db cannot be used.`);
  } finally {
    db?.$client.close(false);
  }
}
