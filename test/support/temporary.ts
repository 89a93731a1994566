import { afterAll, setDefaultTimeout } from "bun:test";
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Loaded before each test file (bunfig.toml): temporary files of tests, and of programs and browsers they start,
// are in one folder, which is deleted afterwards.
const outside = process.env.TMPDIR;
const isOfTests = atEnd(remove);
// Benchmarks use the disk, which they measure.
const folder = mkdtempSync(join(outside ?? (isOfTests ? ramDisk() : null) ?? tmpdir(), "platen-tests-"));
// Some tests run programs as another user, who has a folder in it.
chmodSync(folder, 0o711);
// Benchmarks reuse files there.
if (isOfTests) process.env.TMPDIR = folder;
// Platen rejects folders that a group can write to.
if (isOfTests) process.umask(0o022);

// On a busy machine, browsers and servers take longer than Bun's five seconds. Waits have their own limit (patience.ts).
if (isOfTests) setDefaultTimeout(300_000);

/** The RAM disk if it has 4 GB free and allows execution; null otherwise. */
function ramDisk(): string | null {
  const path = "/dev/shm";
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(path);
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .find((line) => line.split(" ")[1] === path);
    return bavail * bsize >= 4 * 1024 ** 3 && mount && !mount.includes("noexec") ? path : null;
  } catch {
    return null;
  }
}

/** Creates a folder that is deleted with the test file or benchmark. @param name its purpose */
export function temporaryFolder(name: string): string {
  // It is deleted if the file runs again (--rerun-each).
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  return mkdtempSync(join(folder, `${name}-`));
}

/**
 * Runs a cleanup when the test file or benchmark ends, in reverse order.
 * @returns true in a test file, which ends without the process event "exit"
 */
export function atEnd(work: () => void | Promise<void>): boolean {
  try {
    afterAll(work);
    return true;
  } catch {
    process.prependListener("exit", work);
    return false;
  }
}

async function remove(): Promise<void> {
  if (isOfTests && outside === undefined) delete process.env.TMPDIR;
  else if (isOfTests) process.env.TMPDIR = outside;
  for (;;)
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== "ENOTEMPTY") return console.warn(`${fault}`);
      // Children of a killed browser end later, and write until then.
      await Bun.sleep(10);
    }
}
