import { statSync } from "node:fs";

/**
 * Who serves as root serves as the user whose folder it is, from then on: what is written would be closed to that user,
 * and strangers' requests need no root.
 */
export function becomeOwnerOf(folder: string): void {
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() !== 0 || uid === 0) return;
  process.setgroups?.([]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
