import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { S3Client } from "bun";
import { writeAll } from "../../media/files/media-folder";
import {
  addressIn,
  BACKUP_NAME,
  type BackedUpFile,
  BackupFault,
  type BackupStore,
  CONTENTS,
  contentsIn,
  fileMissing,
  notBackup,
  type UnfinishedBackup,
} from "./backup-store";

/**
 * Backups in a bucket of S3, or of what speaks as it does: `NAME/platen.db` and `NAME/backup.json` of each, and below
 * `media/`, named for its SHA-256, each file that one of them has. Bun's client finds keys and endpoint in the
 * environment (AWS_… or S3_…).
 * @param address s3://bucket/prefix
 * @param data where the database's copy lies until it is sent
 */
export function s3Store(address: string, data: string): BackupStore {
  const bucket = bucketAt(address);
  const contents = async (name: string) => {
    const backup = addressIn({ place: address }, name);
    return contentsIn(await bucket.text(`${name}/${CONTENTS}`, notBackup(backup)), backup);
  };
  return {
    place: address,
    names: async () => namesIn(await bucket.list()),
    contents,
    begin: (name) => begin(bucket, name, join(data, ".backup.db")),
    fetch: (name, file, path) =>
      bucket.download(keyOf(name, file), path, fileMissing(addressIn({ place: address }, name), file.path)),
    async remove(gone) {
      if (gone.length === 0) return;
      for (const name of gone) await bucket.delete(`${name}/${CONTENTS}`);
      const listed = await bucket.list();
      const kept = namesIn(listed);
      const wanted = new Set(kept.map((name) => `${name}/${CONTENTS}`));
      for (const name of kept) {
        const { database, media } = await contents(name);
        for (const file of [database, ...media]) wanted.add(keyOf(name, file));
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
      for (const file of [contents.database, ...contents.media])
        if (arrived.get(keyOf(name, file)) !== file.size)
          throw new BackupFault(`${bucket.address} has not kept ${file.path}, which was sent there.`);
      await bucket.write(`${name}/${CONTENTS}`, JSON.stringify(contents));
    },
    discard: async () => rmSync(database, { force: true }),
  };
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

interface Bucket {
  address: string;
  /** Key below the prefix → size in bytes, of all there is. */
  list(): Promise<Map<string, number>>;
  /** @param missing thrown where there is no such key */
  text(key: string, missing: BackupFault): Promise<string>;
  write(key: string, content: string | Bun.BunFile): Promise<void>;
  download(key: string, path: string, missing: BackupFault): Promise<void>;
  delete(key: string): Promise<void>;
}

function bucketAt(address: string): Bucket {
  const [bucket = "", ...path] = address.slice("s3://".length).split("/");
  const prefix = path.map((name) => `${name}/`).join("");
  const client = new S3Client({ bucket });
  const asking = async <Answer>(ask: () => Promise<Answer>, missing?: BackupFault): Promise<Answer> => {
    try {
      return await ask();
    } catch (fault) {
      if (!isOfS3(fault)) throw fault;
      if (missing && fault.code === "NoSuchKey") throw missing;
      throw new BackupFault(`${address} cannot be used: ${reasonOf(fault)}.`);
    }
  };
  return {
    address,
    list: () =>
      asking(async () => {
        const found = new Map<string, number>();
        for (let startAfter: string | undefined; ; ) {
          const { contents = [], isTruncated } = await client.list({ prefix, startAfter });
          for (const { key, size = -1 } of contents) found.set(key.slice(prefix.length), size);
          startAfter = contents.at(-1)?.key;
          if (!isTruncated || startAfter === undefined) return found;
        }
      }),
    text: (key, missing) => asking(() => client.file(prefix + key).text(), missing),
    write: (key, content) => asking(async () => void (await client.write(prefix + key, content))),
    delete: (key) => asking(() => client.delete(prefix + key)),
    download: (key, path, missing) =>
      asking(async () => {
        const file = await open(path, "wx");
        try {
          for await (const chunk of client.file(prefix + key).stream()) await writeAll(file, chunk);
        } finally {
          await file.close();
        }
      }, missing),
  };
}

type S3Fault = Error & { code: string };

function isOfS3(fault: unknown): fault is S3Fault {
  return (
    fault instanceof Error &&
    (fault.name === "S3Error" || ("code" in fault && /_S3_/.test(String(fault.code))))
  );
}

/** Of a refusal, its code says most (AccessDenied); the message is a page of XML, or nothing. */
function reasonOf({ code, message }: S3Fault): string {
  return code.startsWith("ERR_") ? message.replace(/\.$/, "") : code;
}
