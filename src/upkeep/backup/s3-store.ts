import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { writeFully } from "../../media/files/media-folder";
import { Bucket, MissingObject, StoreError } from "../../outgoing/bucket";
import {
  BACKUP_NAME,
  type BackedUpFile,
  type BackupStore,
  CONTENTS,
  listBackupFiles,
  readContents,
  type UnfinishedBackup,
} from "./backup-store";

/**
 * The bucket contains `NAME/platen.db` and `NAME/backup.json` of each backup. All backups share the other
 * files, as `media/SHA-256`.
 * @param address s3://bucket/prefix
 * @param data folder for the copy of the database until it is uploaded
 */
export function s3Store(address: string, data: string): BackupStore {
  const bucket = new Bucket(address);
  const store = {
    place: address,
    readList: (name: string) => unlessMissing(bucket.text(`${name}/${CONTENTS}`)),
  };
  return {
    ...store,
    names: async () => completeBackups(await bucket.list()),
    begin: (name) => begin(bucket, name, join(data, ".backup.db")),
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
}

async function begin(bucket: Bucket, name: string, database: string): Promise<UnfinishedBackup> {
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
