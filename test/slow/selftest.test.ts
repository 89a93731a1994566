import { afterEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { builtExecutable } from "../support/executable";
import { runToEnd } from "../support/program";
import { canMount, smallDisk, unmount } from "../support/small-disks";
import { temporaryFolder } from "../support/temporary";

afterEach(unmount);

test("selftest passes in the executable, prints a line per check, and leaves nothing behind", async () => {
  const folder = temporaryFolder("selftest");
  const env = { PLATEN_DATA: "/nowhere", PLATEN_PORT: "1", PLATEN_URL: "https://blog.example.com" };
  const { code, stdout } = await runToEnd([await builtExecutable(), "selftest", "--in", folder], { env });
  expect(stdout).not.toContain("FAILED");
  expect(stdout.match(/^ok {4}/gm)?.length).toBeGreaterThanOrEqual(15);
  expect({ code, left: readdirSync(folder) }).toEqual({ code: 0, left: [] });
});

test.skipIf(!canMount())(
  "selftest on a disk that is too small exits with 1 and says which checks failed",
  async () => {
    const program = await builtExecutable();
    const { code, stdout } = await runToEnd([program, "selftest", "--json", "--in", smallDisk(60)]);
    const results = JSON.parse(stdout) as { name: string; failure: string | null }[];
    expect(code).toBe(1);
    expect(results.filter(({ failure }) => failure !== null).map(({ name }) => name)).not.toEqual([]);
  },
);
