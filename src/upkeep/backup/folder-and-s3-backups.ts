import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hashFile, writeFully } from "../../media/files/media-folder";
import { Bucket, MissingObject, StoreError } from "../../outgoing/bucket";
import { fileSize, giveOwnerAndMode, makeFolderLike, namesIn, syncPath } from "../../runtime/files";
import type { BackedUpFile, BackupStore, UnfinishedBackup } from "./backup-contents";
import { BACKUP_NAME, BackupError, CONTENTS, listBackupFiles, readContents } from "./backup-contents";

export function openBackupStore(place: string, data: string): BackupStore {
  return place.startsWith("s3://") ? s3Store(place, data) : folderStore(place, data);
}

/**
 * Each backup is a complete data folder. Backups share unchanged files by hard links, if possible. No file is
 * a link to the data folder, so changes there do not reach the backups.
 * @param data data folder; a new backup folder gets its owner
 */
function folderStore(folder: string, data: string): BackupStore {
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
      return beginInFolder(folder, name);
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

function beginInFolder(folder: string, name: string): UnfinishedBackup {
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
      if (fileSize(from) !== size) return false;
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

/**
 * The bucket contains `NAME/platen.db` and `NAME/backup.json` of each backup. All backups share the other
 * files, as `media/SHA-256`.
 * @param address s3://bucket/prefix
 * @param data folder for the copy of the database until it is uploaded
 */
function s3Store(address: string, data: string): BackupStore {
  const bucket = new Bucket(address);
  const store: BackupStore = {
    place: address,
    readList: (name) => unlessMissing(bucket.text(`${name}/${CONTENTS}`)),
    names: async () => completeBackups(await bucket.list()),
    begin: (name) => beginInBucket(bucket, name, join(data, ".backup.db")),
    fetch: async (name, file, path) =>
      (await unlessMissing(download(bucket, backupKey(name, file), path))) !== null,
    async remove(gone) {
      if (gone.length === 0) return;
      for (const name of gone) await bucket.delete(`${name}/${CONTENTS}`);
      const listed = await bucket.list();
      const kept = completeBackups(listed);
      const wanted = new Set(kept.map((name) => `${name}/${CONTENTS}`));
      for (const name of kept) {
        for (const file of listBackupFiles(await readContents(store, name)))
          wanted.add(backupKey(name, file));
      }
      const isOurs = (key: string) => BACKUP_NAME.test(backupOf(key)) || /^media\/[0-9a-f]{64}$/.test(key);
      for (const key of listed.keys()) if (isOurs(key) && !wanted.has(key)) await bucket.delete(key);
    },
  };
  return store;
}

async function beginInBucket(bucket: Bucket, name: string, database: string): Promise<UnfinishedBackup> {
  rmSync(database, { force: true });
  const listed = await bucket.list();
  const finished = completeBackups(listed);
  for (const key of listed.keys())
    if (BACKUP_NAME.test(backupOf(key)) && !finished.includes(backupOf(key))) await bucket.delete(key);
  const has = (file: BackedUpFile) => listed.get(backupKey(name, file)) === file.size;
  return {
    database,
    reuse: async (_, file) => has(file),
    async add(source, file) {
      if (has(file)) return;
      await bucket.write(backupKey(name, file), Bun.file(source));
      listed.set(backupKey(name, file), file.size);
    },
    async finish(contents) {
      await bucket.write(backupKey(name, contents.database), Bun.file(database));
      const arrived = await bucket.list();
      for (const file of listBackupFiles(contents))
        if (arrived.get(backupKey(name, file)) !== file.size)
          throw new StoreError(`${bucket.address} lacks ${file.path} after the upload.`);
      await bucket.write(`${name}/${CONTENTS}`, JSON.stringify(contents));
    },
    discard: async () => rmSync(database, { force: true }),
  };
}

async function unlessMissing<Found>(request: Promise<Found>): Promise<Found | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof MissingObject) return null;
    throw error;
  }
}

async function download(bucket: Bucket, key: string, path: string): Promise<void> {
  const file = await open(path, "wx");
  try {
    for await (const chunk of bucket.bytes(key)) await writeFully(file, chunk);
  } finally {
    await file.close();
  }
}

function backupKey(name: string, { path, sha256 }: BackedUpFile): string {
  return path === "platen.db" ? `${name}/${path}` : `media/${sha256}`;
}

function completeBackups(listed: Map<string, number>): string[] {
  const names = [...listed.keys()].map(backupOf).filter((name) => BACKUP_NAME.test(name));
  return [...new Set(names)].filter((name) => listed.has(`${name}/${CONTENTS}`)).sort();
}

function backupOf(key: string): string {
  return key.split("/", 1)[0] as string;
}
