import { chownSync, statSync } from "node:fs";

/** Root leaves nothing behind that the folder's own user could not open. */
export function giveToOwnerOf(folder: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}
