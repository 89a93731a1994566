import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { runToEnd } from "./support/program";
import { temporaryFolder } from "./support/temporary";

/** A failing test that leaves a server running and temporary files. */
const LEAVING = `
import { test } from "bun:test";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
writeFileSync(tmpdir() + "/of-others", "");
const { startPlaten } = await import("${import.meta.dir}/support/platen");
const { startServer } = await import("${import.meta.dir}/support/program");
test("leaves a server and files", async () => {
  startPlaten();
  const { pid } = await startServer();
  throw new Error("Left behind: " + pid + ".");
});`;

test("temporary files and processes of tests are removed, also of failing tests", async () => {
  const folder = temporaryFolder("leaving");
  const file = join(folder, "leaving.test.ts");
  writeFileSync(file, LEAVING);
  const place = join(folder, "tmp");
  mkdirSync(place);
  const command = [process.execPath, "test", file];
  const run = await runToEnd(command, { cwd: join(import.meta.dir, ".."), env: { TMPDIR: place } });
  const [, pid] = /Left behind: (\d+)\./.exec(run.stderr) ?? [];
  expect(pid, run.stderr).toBeDefined();
  expect(readdirSync(place)).toEqual([]);
  expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
});

test("only test/support/temporary.ts creates temporary folders", () => {
  const strays = [...new Glob("**/*.ts").scanSync(import.meta.dir)].filter((path) =>
    /\bmkdtemp|\btmpdir\(/.test(readFileSync(join(import.meta.dir, path), "utf8")),
  );
  expect(strays.sort()).toEqual(["leftovers.test.ts", "support/temporary.ts"]);
});
