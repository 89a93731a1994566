import { join } from "node:path";
import { PUBLIC } from "../../blogs/public-files";
import { DatabaseError } from "../../errors";
import { FOLDER_NAME } from "../../media/files/media-folder";

/** When it was begun, UTC: 2026-11-21-093012. Names in their order are backups in theirs. */
export const BACKUP_NAME = /^\d{4}-\d\d-\d\d-\d{6}$/;

/** The file of a backup that lists the others. It is written last: what has none is no backup. */
export const CONTENTS = "backup.json";

export interface BackedUpFile {
  /** Below the data folder. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** When it was written, in whole milliseconds since 1970. */
  readonly modified: number;
  /** Hex. */
  readonly sha256: string;
}

interface BackupContents {
  /** The version that wrote it. */
  readonly platen: string;
  /** When it was begun, ISO 8601. */
  readonly at: string;
  readonly database: BackedUpFile;
  readonly media: readonly BackedUpFile[];
  /** The owner's own files at the blogs' roots. Backups of earlier versions have none. */
  readonly public?: readonly BackedUpFile[];
}

/** No backup, or one that cannot be used; the message is one plain sentence. */
export class BackupError extends DatabaseError {}

/** A place where backups are kept. Every call throws a StoreFault where the place cannot be used. */
export interface BackupStore {
  /** For people. */
  readonly place: string;
  /** Of backups that are whole, oldest first. */
  names(): Promise<string[]>;
  /** @throws BackupError where it has none, or none that can be read */
  contents(name: string): Promise<BackupContents>;
  begin(name: string): Promise<UnfinishedBackup>;
  /** Writes a file of a backup to a path. @throws BackupError where it is missing; what it holds is the caller's to check */
  fetch(name: string, file: BackedUpFile, path: string): Promise<void>;
  /** Deletes backups, and what was begun and not finished. */
  remove(names: string[]): Promise<void>;
}

/** Not to be taken for a backup until it is finished. */
export interface UnfinishedBackup {
  /** Where the database's copy is to be written. */
  readonly database: string;
  /** Takes in what another backup has. @returns whether it has it still */
  reuse(name: string, file: BackedUpFile): Promise<boolean>;
  /** Takes in a file. @param source where it lies */
  add(source: string, file: BackedUpFile): Promise<void>;
  /** Makes it a backup, also after a power cut. */
  finish(contents: BackupContents): Promise<void>;
  /** Takes away what was not finished. */
  discard(): Promise<void>;
}

export function listBackupFiles({ database, media, public: own = [] }: BackupContents): BackedUpFile[] {
  return [database, ...media, ...own];
}

/** The address in a store of what belongs to a backup. */
export function backupAddress(store: { place: string }, name: string): string {
  return `${store.place}/${name}`;
}

export function notABackupError(backup: string): BackupError {
  return new BackupError(`${backup} is no backup: it has no ${CONTENTS}.`);
}

export function missingFileError(backup: string, path: string): BackupError {
  return new BackupError(`${backup} is damaged: ${path} is missing.`);
}

/** @throws BackupError where the text is none */
export function parseContents(text: string, backup: string): BackupContents {
  const found = parsed(text) as Partial<BackupContents> | null;
  const own = found?.public ?? [];
  const isListed = Array.isArray(found?.media) && Array.isArray(own);
  if (!isListed || !listBackupFiles(found as BackupContents).every(isFile))
    throw new BackupError(`${backup} is damaged: its ${CONTENTS} cannot be read.`);
  return found as BackupContents;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whoever restores writes to these paths: none leads elsewhere. */
function isFile(file: Partial<BackedUpFile> | undefined): boolean {
  if (typeof file?.path !== "string" || typeof file.sha256 !== "string") return false;
  if (![file.size, file.modified].every(Number.isSafeInteger)) return false;
  const [media, folder = "", filename = "", ...more] = file.path.split("/");
  if (file.path === "platen.db") return true;
  if (media === PUBLIC) return file.path.split("/").slice(1).every(isName) && folder !== "";
  return media === "media" && FOLDER_NAME.test(folder) && more.length === 0 && isName(filename);
}

function isName(filename: string): boolean {
  return filename !== "" && join("/", filename) === `/${filename}`;
}
