import { expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { builtExecutable } from "../support/executable";
import { runToEnd } from "../support/program";

test("a build deletes files of killed builds, and does not disturb running ones", async () => {
  const ended = Bun.spawn(["true"]);
  await ended.exited;
  const dist = dirname(await builtExecutable());
  const [cutOff, other] = [`.building-${ended.pid}`, `.building-${process.pid}`];
  for (const name of [cutOff, other]) await Bun.write(join(dist, name, "platen"), "half");
  const { code, stderr } = await runToEnd([process.execPath, "packaging/build.ts"], {
    cwd: dirname(dist),
    patience: 600_000,
  });
  const left = await readdir(dist);
  await rm(join(dist, other), { recursive: true });
  expect([code, stderr]).toEqual([0, ""]);
  expect(left).toContain(other);
  expect(left).not.toContain(cutOff);
}, 900_000);
