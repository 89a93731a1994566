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

// Loaded before each test file (bunfig.toml): whatever tests, and the programs and browsers they start, keep for a
// while lies in one folder, which goes with them.
const outside = process.env.TMPDIR;
const isOfTests = atEnd(remove);
// Benchmarks measure the disk too.
const folder = mkdtempSync(join(outside ?? (isOfTests ? ramDisk() : null) ?? tmpdir(), "platen-tests-"));
// Some programs are tried as somebody else, who has a folder in it.
chmodSync(folder, 0o711);
// Benchmarks find there what others have left for them.
if (isOfTests) process.env.TMPDIR = folder;
// Elsewhere a group may write what somebody makes, and Platen takes no such folder.
if (isOfTests) process.umask(0o022);

// Browsers and servers take longer than Bun's five seconds, on a busy machine minutes. Waits end sooner (patience.ts).
if (isOfTests) setDefaultTimeout(300_000);

/** The machine's RAM disk, if 4 GB are free and programs may be run from it; null otherwise. */
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

/** A new folder that goes with the test file, or the benchmark. @param name what it is for */
export function temporaryFolder(name: string): string {
  // It has gone where the file is run once more (--rerun-each).
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  return mkdtempSync(join(folder, `${name}-`));
}

/**
 * Does this once the test file is over, or the benchmark: what was asked for last, first.
 * @returns whether it is a test file, which ends without the "exit" of its process
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
      // The children of a browser that was killed go after it, and write until then.
      await Bun.sleep(10);
    }
}
