import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { hashFile } from "../../media/files/media-folder";
import { giveOwnerAndMode, makeFolderLike, namesIn, syncPath } from "../../runtime/files";
import {
  BACKUP_NAME,
  BackupError,
  type BackupStore,
  CONTENTS,
  listBackupFiles,
  type UnfinishedBackup,
} from "./backup-store";

/**
 * Each backup is a complete data folder. Backups share unchanged files by hard links, if possible. No file is
 * a link to the data folder, so changes there do not reach the backups.
 * @param data data folder; a new backup folder gets its owner
 */
export function folderStore(folder: string, data: string): BackupStore {
  return {
    place: folder,
    names: async () =>
      namesIn(folder)
        .sort()
        .filter((name) => BACKUP_NAME.test(name)),
    async readList(name) {
      const path = join(folder, name, CONTENTS);
      return existsSync(path) ? readFileSync(path, "utf8") : null;
    },
    async begin(name) {
      if (!existsSync(folder)) makeFolderLike(data, folder);
      removeUnfinished(folder);
      return begin(folder, name);
    },
    async fetch(name, { path }, to) {
      const from = join(folder, name, path);
      if (!existsSync(from)) return false;
      copyFile(from, to);
      return true;
    },
    async remove(names) {
      // Renamed first, so that a partly deleted folder does not count as a backup.
      for (const name of names) renameSync(join(folder, name), join(folder, `.${name}`));
      removeUnfinished(folder);
    },
  };
}

function begin(folder: string, name: string): UnfinishedBackup {
  const unfinished = join(folder, `.${name}`);
  const database = join(unfinished, "platen.db");
  const folders = [unfinished, join(unfinished, "media")];
  for (const path of folders) makeFolderLike(folder, path);
  const added: string[] = [];
  const placeFor = (path: string) => {
    const place = join(unfinished, path);
    if (!existsSync(dirname(place))) {
      makeFolderLike(folder, dirname(place));
      folders.push(dirname(place));
    }
    return place;
  };
  return {
    database,
    async reuse(name, { path, size }) {
      const from = join(folder, name, path);
      if (statSync(from, { throwIfNoEntry: false })?.size !== size) return false;
      try {
        linkSync(from, placeFor(path));
        return true;
      } catch {
        return false;
      }
    },
    async add(source, { path, modified, sha256 }) {
      const place = placeFor(path);
      copyFile(source, place);
      utimesSync(place, modified / 1000, modified / 1000);
      giveOwnerAndMode(folder, place, 0o600);
      added.push(place);
      if ((await hashFile(place)) !== sha256) throw new BackupError(`${place} differs from its original.`);
    },
    async finish(contents) {
      const wanted = new Set(listBackupFiles(contents).flatMap(({ path }) => foldersAbove(path)));
      for (const path of folders.slice(2).filter((path) => !wanted.has(path.slice(unfinished.length + 1))))
        rmSync(path, { recursive: true });
      const list = join(unfinished, CONTENTS);
      writeFileSync(list, JSON.stringify(contents));
      for (const path of [list, database]) giveOwnerAndMode(folder, path, 0o600);
      const written = [...added, list, database, ...folders.toReversed()];
      for (const path of written.filter(existsSync)) syncPath(path);
      renameSync(unfinished, join(folder, name));
      syncPath(folder);
    },
    discard: async () => rmSync(unfinished, { recursive: true, force: true }),
  };
}

function copyFile(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...foldersAbove(folder)];
}

function removeUnfinished(folder: string): void {
  for (const name of namesIn(folder))
    if (name.startsWith(".") && BACKUP_NAME.test(name.slice(1)))
      rmSync(join(folder, name), { recursive: true, force: true });
}
