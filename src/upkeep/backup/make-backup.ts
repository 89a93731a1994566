import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, PUBLIC } from "../../blogs/public-files";
import { SECOND } from "../../config/units";
import { openReadOnly } from "../../database/open";
import { writeVerifiedCopy } from "../../database/verified-copy";
import { timestampName } from "../../media/files/copy-names-and-rights";
import { hashFile, mediaFolder } from "../../media/files/media-folder";
import type { Platen } from "../../platen";
import { version } from "../../version";
import type { CheckFinding } from "../check/check-findings";
import { isPlatenDatabase } from "../check/database-check";
import { listRecordedFiles, type RecordedFile } from "../check/media-check";
import { assertUploadsHaveAccount } from "../recovery/missing-database";
import {
  type BackedUpFile,
  BackupError,
  type BackupStore,
  listBackupFiles,
  type UnfinishedBackup,
} from "./backup-store";

export interface MadeBackup {
  name: string;
  /** When it was begun. */
  at: Date;
  files: number;
  /** Of them, those that no earlier backup has. */
  added: number;
  /** Uploads that are at the store of media, and not in the backup. */
  atStore: number;
  /** What the data folder itself lacks or has damaged: the backup has it so too. */
  remarks: CheckFinding[];
}

/**
 * Makes a backup of the data folder, which may be served meanwhile: it holds all that was acknowledged before. Sizes made
 * from pictures are left out, as they are made again when they are asked for.
 * @param platen whose database may be read only
 * @param progress told how many of how many files are done
 * @throws BackupError, and DatabaseFault where there is no whole database; then no backup was made
 */
export async function makeBackup(
  platen: Platen,
  store: BackupStore,
  progress: (done: number, all: number) => void,
): Promise<MadeBackup> {
  if (!isPlatenDatabase(platen)) throw new BackupError("platen.db is no database of Platen's.");
  assertUploadsHaveAccount(platen);
  const names = await store.names();
  const at = freeMoment(platen.now(), names);
  const name = timestampName(at);
  const last = await lastOf(store, names);
  const backup = await store.begin(name);
  try {
    const taking = mediaTaking(platen, backup, last);
    const recorded = await consistently(platen, backup, taking, progress);
    const media = recorded.flatMap((file) => taking.taken.get(file.folder) ?? []);
    const own = await takePublicFiles(platen, taking);
    const database = await describedFile(backup.database, "platen.db");
    await backup.finish({ platen: version, at: at.toISOString(), database, media, public: own.files });
    const remarks = recorded.flatMap((file) => remarksOn(file, taking.taken.get(file.folder) ?? []));
    remarks.push(...own.remarks);
    const atStore = recorded.filter(({ atStore }) => atStore !== null).length;
    return { name, at, files: media.length, added: taking.added(), atStore, remarks };
  } finally {
    await backup.discard();
  }
}

/** Names tell seconds. */
function freeMoment(at: Date, names: string[]): Date {
  return names.includes(timestampName(at)) ? freeMoment(new Date(at.getTime() + SECOND), names) : at;
}

interface EarlierBackup {
  name: string;
  files: Map<string, BackedUpFile>;
}

/** The newest one that can be read; what is unchanged since is not copied again. */
async function lastOf(store: BackupStore, names: string[]): Promise<EarlierBackup | null> {
  for (const name of names.toReversed())
    try {
      const files = listBackupFiles(await store.contents(name));
      return { name, files: new Map(files.map((file) => [file.path, file])) };
    } catch (fault) {
      if (!(fault instanceof BackupError)) throw fault;
    }
  return null;
}

/**
 * Copies the database and then the media that it names, until nothing that is named was deleted in between, or moved to
 * the store or back.
 * @returns what the copied database names
 */
async function consistently(
  platen: Platen,
  backup: UnfinishedBackup,
  taking: MediaTaking,
  progress: (done: number, all: number) => void,
): Promise<RecordedFile[]> {
  for (;;) {
    rmSync(backup.database, { force: true });
    writeVerifiedCopy(platen.db.$client, backup.database);
    const recorded = filesIn(platen, backup.database);
    for (const [done, file] of recorded.entries()) {
      progress(done, recorded.length);
      await taking.take(file);
    }
    progress(recorded.length, recorded.length);
    const missing = recorded.filter((file) => !isTaken(file, taking));
    const now = new Map(
      missing.length > 0
        ? listRecordedFiles(platen).map(({ folder, atStore }) => [folder, atStore !== null])
        : [],
    );
    if (missing.every(({ folder, atStore }) => now.get(folder) === (atStore !== null))) return recorded;
  }
}

function isTaken({ folder, filename }: RecordedFile, { taken }: MediaTaking): boolean {
  return taken.get(folder)?.some(({ path }) => path === `media/${folder}/${filename}`) ?? false;
}

function filesIn(platen: Platen, database: string): RecordedFile[] {
  const db = openReadOnly(database);
  try {
    return listRecordedFiles({ ...platen, db });
  } finally {
    db.$client.close(false);
  }
}

interface MediaTaking {
  /** By the folder of the upload; one that is missing altogether is not among them. */
  taken: Map<string, BackedUpFile[]>;
  take(file: RecordedFile): Promise<void>;
  /** @param path below the data folder */
  takeOne(path: string): Promise<BackedUpFile>;
  added(): number;
}

/** A file that goes away or cannot be read does not stop the backup: the owner changes these files at any time. */
async function takePublicFiles(platen: Platen, taking: MediaTaking) {
  const files: BackedUpFile[] = [];
  const remarks: CheckFinding[] = [];
  for (const path of await filesBelow(join(platen.config.data, PUBLIC))) {
    const place = `${PUBLIC}/${path}`;
    try {
      files.push(await taking.takeOne(place));
    } catch (fault) {
      if (isMissing(fault)) continue;
      if (!isUnreadable(fault)) throw fault;
      const sentence = `${place} cannot be read: it is not in the backup.`;
      remarks.push({ kind: "files in the data folder cannot be read", sentence });
    }
  }
  return { files, remarks };
}

/** What lies at a path of media is never written to again, so that size and time tell whether it is the same. */
function mediaTaking(platen: Platen, backup: UnfinishedBackup, last: EarlierBackup | null): MediaTaking {
  const taken = new Map<string, BackedUpFile[]>();
  let added = 0;
  const takeOne = async (path: string): Promise<BackedUpFile> => {
    const source = join(platen.config.data, path);
    const { size, mtimeMs } = statSync(source);
    const known = last?.files.get(path);
    const isSame = known && known.size === size && known.modified === Math.trunc(mtimeMs);
    if (last && isSame && (await backup.reuse(last.name, known))) return known;
    const file = await describedFile(source, path);
    await backup.add(source, file);
    added++;
    return file;
  };
  return {
    taken,
    takeOne,
    added: () => added,
    async take({ folder }) {
      if (taken.has(folder)) return;
      try {
        const files: BackedUpFile[] = [];
        for (const entry of readdirSync(mediaFolder(platen, folder), { withFileTypes: true }))
          if (entry.isFile()) files.push(await takeOne(`media/${folder}/${entry.name}`));
        taken.set(folder, files);
      } catch (fault) {
        // Deleted meanwhile, or lost long ago: `consistently` tells which.
        if (!isMissing(fault)) throw fault;
      }
    },
  };
}

async function describedFile(source: string, path: string): Promise<BackedUpFile> {
  const { size, mtimeMs } = statSync(source);
  return { path, size, modified: Math.trunc(mtimeMs), sha256: await hashFile(source) };
}

function isMissing(fault: unknown): boolean {
  return fault instanceof Error && "code" in fault && fault.code === "ENOENT";
}

function isUnreadable(fault: unknown): boolean {
  return fault instanceof Error && "code" in fault && (fault.code === "EACCES" || fault.code === "EPERM");
}

function remarksOn(
  { folder, filename, sha256, atStore }: RecordedFile,
  files: BackedUpFile[],
): CheckFinding[] {
  if (atStore) return [];
  const path = `media/${folder}/${filename}`;
  const file = files.find((file) => file.path === path);
  if (!file)
    return [
      { kind: "files are missing in the data folder", sentence: `${path} is missing in the data folder.` },
    ];
  if (file.sha256 === sha256) return [];
  return [
    {
      kind: "files are damaged in the data folder",
      sentence: `${path} in the data folder is not what was stored.`,
    },
  ];
}
