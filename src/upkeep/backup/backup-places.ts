import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { MINUTE } from "../../config/units";
import { timestampName } from "../../runtime/files";
import { BACKUP_NAME, BackupError, type BackupStore } from "./backup-store";
import { folderStore } from "./folder-store";
import { s3Store } from "./s3-store";

export function openBackupStore(place: string, data: string): BackupStore {
  return place.startsWith("s3://") ? s3Store(place, data) : folderStore(place, data);
}

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

/** A backup in the data folder would be lost with the folder. Symlinks are followed. */
export function isInDataFolder(place: string, data: string): boolean {
  if (place.startsWith("s3://")) return false;
  const { dev, ino } = statSync(data);
  for (let path = realPath(place); ; path = dirname(path)) {
    const folder = statSync(path, { throwIfNoEntry: false });
    if (folder?.dev === dev && folder.ino === ino) return true;
    if (path === dirname(path)) return false;
  }
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realPath(dirname(path)), basename(path));
}
