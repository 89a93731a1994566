import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MEGABYTE } from "../../config/units";
import { freeDiskBytes } from "../../runtime/disk-space";
import { version } from "../../version";
import { command } from "../shell/command";
import { CommandError, EXIT_FAILURE } from "../shell/command-errors";
import { print, showStatus } from "../shell/terminal";
import { flag, option } from "../shell/usage";
import { CHECKS } from "./checks";
import { SelfTest } from "./tested-server";

/** The test's files need about 60 MB. The server rejects changes while the disk is nearly full. */
const NEEDED_MEGABYTES = 100;

export const selftest = command(
  {
    help: "test this program in an empty folder (two minutes)",
    options: {
      json: flag("print the results as JSON"),
      in: option("DIR", "folder for the test's files, on the disk to test [/tmp]"),
    },
  },
  async ({ values }) => {
    const parent = values.in ?? tmpdir();
    const folder = mkdtempSync(join(parent, "platen-selftest-"));
    const results: { name: string; failure: string | null; ms: number }[] = [];
    if (!values.json) await print(`Testing platen ${version} …`);
    try {
      assertSpace(parent);
      mkdirSync(join(folder, "data"), { mode: 0o700 });
      await using test = new SelfTest(join(folder, "data"));
      for (const [name, run] of Object.entries(CHECKS)) {
        showStatus(name);
        const begun = performance.now();
        const failure = await run(test).then(
          () => null,
          (error: Error) => error.message,
        );
        showStatus("");
        const ms = Math.round(performance.now() - begun);
        results.push({ name, failure, ms });
        if (!values.json) await print(`${failure === null ? "ok    " : "FAILED"}  ${name} (${ms} ms)`);
        if (failure !== null && !values.json) await print(`        ${failure}`);
        // If the server does not start, all other checks would fail too.
        if (failure !== null && results.length === 1) break;
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    const failed = results.filter(({ failure }) => failure !== null);
    if (values.json) await print(JSON.stringify(results, null, 2));
    else if (failed.length === 0) await print("Everything works.");
    else await print(`Failed: ${failed.length} of ${results.length}.`);
    return failed.length === 0 ? 0 : EXIT_FAILURE;
  },
);

function assertSpace(folder: string): void {
  const free = Math.floor(freeDiskBytes(folder) / MEGABYTE);
  if (free < NEEDED_MEGABYTES)
    throw new CommandError(
      `The self-test needs ${NEEDED_MEGABYTES} MB, but only ${free} MB are free in ${folder}. Free some space, or choose a folder on another disk with --in.`,
    );
}
