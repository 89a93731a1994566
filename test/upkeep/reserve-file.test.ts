import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { updateDiskReserve } from "../../src/runtime/disk-space";
import { startPlaten } from "../support/platen";

const MEGABYTE = 1_048_576;

test("the disk reserve is created while there is room, released when the disk is full, and created again", () => {
  const { platen, log } = startPlaten();
  const file = join(platen.config.data, ".reserve");
  let free = 50 * MEGABYTE;
  const step = () => updateDiskReserve(platen, free);
  step();
  expect(existsSync(file)).toBe(false);
  free = 500 * MEGABYTE;
  step();
  const { size, mode, mtimeMs } = statSync(file);
  expect([size, mode & 0o777]).toEqual([8 * MEGABYTE, 0o600]);
  step();
  expect(statSync(file).mtimeMs).toBe(mtimeMs);
  for (const left of [20 * MEGABYTE, 0, 0]) {
    free = left;
    step();
    expect(existsSync(file)).toBe(left > 0);
  }
  expect(log).toEqual([expect.stringMatching(/^The disk is full\. Platen has freed its reserve of 8 MB/)]);
  free = 500 * MEGABYTE;
  step();
  expect(existsSync(file)).toBe(true);
});
