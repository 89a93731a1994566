import { join } from "node:path";
import { THEMES } from "../../blogs/folder-themes";
import { PUBLIC } from "../../blogs/public-files";
import { DatabaseError } from "../../errors";
import { FOLDER_NAME } from "../../media/files/media-folder";
import { parseJson } from "../../text/json";

/** UTC time such as 2026-11-21-093012. Names sort by time. */
export const BACKUP_NAME = /^\d{4}-\d\d-\d\d-\d{6}$/;

/** Written last, so a folder without this file is not a backup. */
export const CONTENTS = "backup.json";

export const OWN_FOLDERS = [PUBLIC, THEMES];

export interface BackedUpFile {
  readonly path: string;
  readonly size: number;
  /** Whole milliseconds since 1970. */
  readonly modified: number;
  readonly sha256: string;
}

interface BackupContents {
  readonly platen: string;
  readonly at: string;
  readonly database: BackedUpFile;
  readonly media: readonly BackedUpFile[];
  /** Old backups lack this field. */
  readonly public?: readonly BackedUpFile[];
  /** A separate field, because old versions reject other paths in `public`. */
  readonly themes?: readonly BackedUpFile[];
}

export class BackupError extends DatabaseError {}

export interface BackupStore {
  readonly place: string;
  names(): Promise<string[]>;
  /** @returns the text of CONTENTS; null if the backup has none. Use `readContents`. */
  readList(name: string): Promise<string | null>;
  begin(name: string): Promise<UnfinishedBackup>;
  /** Does not verify the content. @returns false if the file is missing */
  fetch(name: string, file: BackedUpFile, path: string): Promise<boolean>;
  /** May also delete what unfinished backups left. */
  remove(names: string[]): Promise<void>;
}

export interface UnfinishedBackup {
  readonly database: string;
  /** Uses the file of the earlier backup `name`. @returns false if that is not possible */
  reuse(name: string, file: BackedUpFile): Promise<boolean>;
  add(source: string, file: BackedUpFile): Promise<void>;
  /** The backup is durable when the promise resolves. */
  finish(contents: BackupContents): Promise<void>;
  discard(): Promise<void>;
}

export function listBackupFiles({ database, media, ...own }: BackupContents): BackedUpFile[] {
  return [database, ...media, ...(own.public ?? []), ...(own.themes ?? [])];
}

export function backupAddress(store: { place: string }, name: string): string {
  return `${store.place}/${name}`;
}

/** @throws BackupError if the backup's list of files is missing or damaged */
export async function readContents(store: Pick<BackupStore, "place" | "readList">, name: string) {
  const backup = backupAddress(store, name);
  const text = await store.readList(name);
  if (text === null) throw new BackupError(`${backup} is not a backup: it has no ${CONTENTS}.`);
  const found = parseJson(text) as Partial<BackupContents> | null;
  const isListed = [found?.media, found?.public ?? [], found?.themes ?? []].every(Array.isArray);
  if (!isListed || !listBackupFiles(found as BackupContents).every(isValidFile))
    throw new BackupError(`${backup} is damaged: its ${CONTENTS} cannot be read.`);
  return found as BackupContents;
}

/** Restoring writes to this path, so the path must not lead out of the data folder. */
function isValidFile(file: Partial<BackedUpFile> | undefined): boolean {
  if (typeof file?.path !== "string" || typeof file.sha256 !== "string") return false;
  if (![file.size, file.modified].every(Number.isSafeInteger)) return false;
  if (file.path === "platen.db") return true;
  const [folder = "", ...names] = file.path.split("/");
  const areNames = names.length > 0 && names.every((name) => name !== "" && join("/", name) === `/${name}`);
  const isPlace =
    folder === "media"
      ? names.length === 2 && FOLDER_NAME.test(names[0] ?? "")
      : OWN_FOLDERS.includes(folder);
  return areNames && isPlace;
}
