import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { chownToFolderOwner, syncPath } from "../../runtime/files";

/** 2026-11-21-093012, UTC: how copies that are kept are named. */
export function timestampName(at: Date): string {
  return at.toISOString().slice(0, 19).replaceAll(":", "").replace("T", "-");
}

/** Gives a file or folder to its owner alone: whoever types the command, root for instance, that is whose `like` is. */
export function giveOwnerAndMode(like: string, path: string, mode: number): void {
  chownToFolderOwner(like, path);
  chmodSync(path, mode);
}

/** With those above it that are missing. */
export function makeFolderLike(like: string, path: string): void {
  if (!existsSync(dirname(path))) makeFolderLike(like, dirname(path));
  mkdirSync(path);
  giveOwnerAndMode(like, path, 0o700);
}

/** Linked, or copied and synced where the file system has no links. */
export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    syncPath(to);
  }
}
