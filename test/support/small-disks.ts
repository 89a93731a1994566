import { mkdirSync } from "node:fs";
import { freshFolder } from "./program";

/** Mounts a small empty disk. @throws if mounting is not allowed */
export function smallDisk(megabytes = 32): string {
  return mounted('mount -t tmpfs -o "size=$2" tmpfs "$1"', `${megabytes}m`);
}

/** Mounts a disk that the system makes read-only if it is damaged. @throws if mounting is not allowed */
export function fragileDisk(): string {
  return mounted(
    'truncate -s 64M "$1.img" && mkfs.ext4 -q "$1.img" && mount -o loop,errors=remount-ro "$1.img" "$1" && rmdir "$1/lost+found"',
  );
}

/** Whether mounting works: only root can, and not in every container. */
export function canMount(disk: () => string = smallDisk): boolean {
  try {
    disk();
    unmount();
    return true;
  } catch {
    return false;
  }
}

function mounted(command: string, ...more: string[]): string {
  const folder = freshFolder();
  mkdirSync(folder);
  const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", command, "sh", folder, ...more]);
  if (exitCode !== 0) throw new Error(`No disk could be mounted: ${stderr}`);
  disks.push(folder);
  return folder;
}

const disks: string[] = [];
/** Unmounts all disks; for `afterEach`. */
export function unmount(): void {
  for (const disk of disks.splice(0)) Bun.spawnSync(["umount", "-l", disk]);
}
