import { mkdirSync } from "node:fs";
import { freshFolder } from "./program";

/** A small disk of its own, empty. @throws where the tests may not mount one */
export function smallDisk(megabytes = 32): string {
  return mounted('mount -t tmpfs -o "size=$2" tmpfs "$1"', `${megabytes}m`);
}

/** One that the system closes to writing where it finds it damaged. @throws likewise */
export function fragileDisk(): string {
  return mounted(
    'truncate -s 64M "$1.img" && mkfs.ext4 -q "$1.img" && mount -o loop,errors=remount-ro "$1.img" "$1" && rmdir "$1/lost+found"',
  );
}

/** Only root may mount, and not in every container. */
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
/** For `afterEach`. */
export function unmount(): void {
  for (const disk of disks.splice(0)) Bun.spawnSync(["umount", "-l", disk]);
}
