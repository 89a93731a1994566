import { afterEach, expect, test } from "bun:test";
import { readdirSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

test.skipIf(!canMount())("selftest on a disk that is too small says at once what it needs", async () => {
  const program = await builtExecutable();
  const { code, stdout, stderr } = await runToEnd([program, "selftest", "--json", "--in", smallDisk(60)]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^The self-test needs 100 MB, but only \d+ MB are free in /);
});

test.skipIf(!canMount())(
  "selftest exits with 1 and names the failed checks if the disk becomes full meanwhile, without waiting",
  async () => {
    const disk = smallDisk(120);
    const child = Bun.spawn([await builtExecutable(), "selftest", "--in", disk], { stdout: "pipe" });
    let printed = "";
    const begun = performance.now();
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      if (!printed.includes("ok ") && chunk.includes("ok ")) fill(disk);
      printed += chunk;
    }
    expect(await child.exited).toBe(1);
    expect(printed).toMatch(/^FAILED {2}Nothing is lost when the server is killed .*\n {8}.*disk is full/m);
    expect(performance.now() - begun).toBeLessThan(15_000);
  },
);

/** Leaves less free space than the server's reserve. */
function fill(disk: string): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "fill"), Buffer.alloc(bavail * bsize - 4 * 1_048_576));
}
