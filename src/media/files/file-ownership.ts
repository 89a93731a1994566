import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { chownToFolderOwner, syncPath } from "../../runtime/files";

/** Returns a UTC time such as 2026-11-21-093012, for names of backups. */
export function timestampName(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll(":", "").replace("T", "-");
}

/** Gives a path the owner of `like`, because root may have started the command. */
export function giveOwnerAndMode(like: string, path: string, mode: number): void {
  chownToFolderOwner(like, path);
  chmodSync(path, mode);
}

/** Creates a folder and missing parents with the owner of `like`. */
export function makeFolderLike(like: string, path: string): void {
  if (!existsSync(dirname(path))) makeFolderLike(like, dirname(path));
  mkdirSync(path);
  giveOwnerAndMode(like, path, 0o700);
}

/** Creates a hard link, or a synced copy if the file system has no links. */
export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    syncPath(to);
  }
}
