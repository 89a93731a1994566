import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** For a folder, syncs its entries, but not the contents of its files. */
export function syncPath(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/**
 * If root created the path, gives the path and its contents to the folder's owner, whose server must be able
 * to read them. Symbolic links are not followed, because that owner may have made them.
 */
export function chownToFolderOwner(folder: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  lchownSync(path, uid, gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) chownToFolderOwner(folder, join(path, name));
}

export function namesIn(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}

/** @returns undefined if the file is missing */
export function fileSize(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

export function modificationTime(file: string): Date | null {
  return statSync(file, { throwIfNoEntry: false })?.mtime ?? null;
}

/** For example 2026-11-21-093012, in UTC. */
export function timestampName(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll(":", "").replace("T", "-");
}

/** `like` determines the owner, because root may have started the command. */
export function giveOwnerAndMode(like: string, path: string, mode: number): void {
  chownToFolderOwner(like, path);
  chmodSync(path, mode);
}

/** Also creates missing parents. All created folders get the owner of `like`, and mode 0700. */
export function makeFolderLike(like: string, path: string): void {
  if (!existsSync(dirname(path))) makeFolderLike(like, dirname(path));
  mkdirSync(path);
  giveOwnerAndMode(like, path, 0o700);
}

export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    syncPath(to);
  }
}
