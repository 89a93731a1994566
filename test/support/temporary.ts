import { afterAll, afterEach, beforeAll, beforeEach, setDefaultTimeout } from "bun:test";
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

// Loaded before tests (bunfig.toml): temporary files of a test file, and of programs and browsers it starts,
// are in one folder, which is deleted when the file ends.
const outside = process.env.TMPDIR;
type Work = () => unknown;
const ofEachFile: Work[] = [];
const ofFile: Work[] = [];
const ofTest: Work[] = [];
let isInTest = false;
const isOfTests = addHooks();
// Benchmarks use the disk, which they measure.
const folder = mkdtempSync(join(outside ?? (isOfTests ? ramDisk() : null) ?? tmpdir(), "platen-tests-"));
chmodSync(folder, 0o711);
if (isOfTests) makeFolder();
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

/** Creates a folder that is deleted when the test file or benchmark ends. @param name its purpose */
export function temporaryFolder(name: string): string {
  // Test files call this before `beforeAll` runs, too.
  if (isOfTests) makeFolder();
  return mkdtempSync(join(folder, `${name}-`));
}

/**
 * Bun runs the hooks of this file for every test file, but those of other shared files only for the first test file
 * of a worker. So they call `atEnd` and `afterTest`.
 * @returns false in a benchmark
 */
function addHooks(): boolean {
  try {
    beforeAll(makeFolder);
  } catch {
    process.prependListener("exit", () => {
      for (const work of ofEachFile.toReversed()) work();
      rmSync(folder, { recursive: true, force: true });
    });
    return false;
  }
  beforeEach(() => {
    isInTest = true;
  });
  afterEach(async () => {
    isInTest = false;
    for (const work of ofTest.splice(0).reverse()) await work();
  });
  afterAll(async () => {
    for (const work of [...ofFile.splice(0).reverse(), ...ofEachFile.toReversed()]) await work();
    await remove();
  });
  return true;
}

/** Runs the work when each test file ends, or the benchmark, in reverse order. */
export function atEnd(work: Work): void {
  ofEachFile.push(work);
}

/** Runs the work when the running test ends; outside a test, as in `beforeAll`, when the file ends. In reverse order. */
export function afterTest(work: Work): void {
  (isInTest ? ofTest : ofFile).push(work);
}

function makeFolder(): void {
  // Some tests run programs as another user, who has a folder in it.
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  process.env.TMPDIR = folder;
}

async function remove(): Promise<void> {
  if (outside === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = outside;
  for (;;)
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== "ENOTEMPTY") return console.warn(`${fault}`);
      // Children of a killed browser end later, and write until then.
      await Bun.sleep(10);
    }
}
