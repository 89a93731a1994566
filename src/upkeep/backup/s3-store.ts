import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { writeFully } from "../../media/files/media-folder";
import { Bucket, MissingObject, StoreFault } from "../../outgoing/bucket";
import {
  BACKUP_NAME,
  type BackedUpFile,
  type BackupError,
  type BackupStore,
  backupAddress,
  CONTENTS,
  listBackupFiles,
  missingFileError,
  notABackupError,
  parseContents,
  type UnfinishedBackup,
} from "./backup-store";

/**
 * Backups in a bucket of S3, or of what speaks as it does: `NAME/platen.db` and `NAME/backup.json` of each, and below
 * `media/`, named for its SHA-256, each file that one of them has.
 * @param address s3://bucket/prefix
 * @param data where the database's copy lies until it is sent
 */
export function s3Store(address: string, data: string): BackupStore {
  const bucket = new Bucket(address);
  const contents = async (name: string) => {
    const backup = backupAddress({ place: address }, name);
    return parseContents(await thereOr(notABackupError(backup), bucket.text(`${name}/${CONTENTS}`)), backup);
  };
  return {
    place: address,
    names: async () => namesIn(await bucket.list()),
    contents,
    begin: (name) => begin(bucket, name, join(data, ".backup.db")),
    fetch: (name, file, path) =>
      thereOr(
        missingFileError(backupAddress({ place: address }, name), file.path),
        download(bucket, keyOf(name, file), path),
      ),
    async remove(gone) {
      if (gone.length === 0) return;
      for (const name of gone) await bucket.delete(`${name}/${CONTENTS}`);
      const listed = await bucket.list();
      const kept = namesIn(listed);
      const wanted = new Set(kept.map((name) => `${name}/${CONTENTS}`));
      for (const name of kept) {
        for (const file of listBackupFiles(await contents(name))) wanted.add(keyOf(name, file));
      }
      for (const key of listed.keys()) if (isOurs(key) && !wanted.has(key)) await bucket.delete(key);
    },
  };
}

async function begin(bucket: Bucket, name: string, database: string): Promise<UnfinishedBackup> {
  rmSync(database, { force: true });
  const listed = await bucket.list();
  const finished = namesIn(listed);
  for (const key of listed.keys()) if (isOfNone(key, finished)) await bucket.delete(key);
  const has = (file: BackedUpFile) => listed.get(keyOf(name, file)) === file.size;
  return {
    database,
    reuse: async (_, file) => has(file),
    async add(source, file) {
      if (has(file)) return;
      await bucket.write(keyOf(name, file), Bun.file(source));
      listed.set(keyOf(name, file), file.size);
    },
    async finish(contents) {
      await bucket.write(keyOf(name, contents.database), Bun.file(database));
      const arrived = await bucket.list();
      for (const file of listBackupFiles(contents))
        if (arrived.get(keyOf(name, file)) !== file.size)
          throw new StoreFault(`${bucket.address} has not kept ${file.path}, which was sent there.`);
      await bucket.write(`${name}/${CONTENTS}`, JSON.stringify(contents));
    },
    discard: async () => rmSync(database, { force: true }),
  };
}

/** @param missing thrown where the bucket has nothing of that key */
async function thereOr<Found>(missing: BackupError, asked: Promise<Found>): Promise<Found> {
  try {
    return await asked;
  } catch (fault) {
    throw fault instanceof MissingObject ? missing : fault;
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

/** Below the prefix. */
function keyOf(name: string, { path, sha256 }: BackedUpFile): string {
  return path === "platen.db" ? `${name}/${path}` : `media/${sha256}`;
}

/** Of backups that are whole, oldest first. */
function namesIn(listed: Map<string, number>): string[] {
  const found = [...listed.keys()].map((key) => key.split("/"));
  const whole = found.filter(([name = "", file]) => BACKUP_NAME.test(name) && file === CONTENTS);
  return whole.map(([name = ""]) => name).sort();
}

/** Left by a backup that was not finished, or not removed to its end. */
function isOfNone(key: string, names: string[]): boolean {
  const [name = ""] = key.split("/");
  return BACKUP_NAME.test(name) && !names.includes(name);
}

/** Whatever else lies in the bucket is not touched. */
function isOurs(key: string): boolean {
  const [folder = "", file = ""] = key.split("/");
  return BACKUP_NAME.test(folder) || (folder === "media" && /^[0-9a-f]{64}$/.test(file));
}
