import { expect, test } from "bun:test";
import { cpSync, statSync } from "node:fs";
import { join } from "node:path";
import { addAccount } from "../../src/accounts/accounts";
import type { Platen } from "../../src/platen";
import { isTimeToCheckpoint } from "../../src/upkeep/checkpoints";
import { periodicTasks } from "../../src/upkeep/periodic-tasks";
import { DAY, HOUR, MINUTE, SECOND, START, startPlaten } from "../support/platen";
import { freshFolder, runPlaten } from "../support/program";

const MEGABYTE = 1_048_576;
const noon = new Date(2026, 2, 1, 12);
const night = new Date(2026, 2, 1, 3, 30);

const MOMENTS: [string, Date, number, number, boolean][] = [
  ["nothing is pending", night, 0, DAY, false],
  ["little by day", noon, MEGABYTE, DAY, false],
  ["little at night, nobody writing", night, 1, 10 * MINUTE, true],
  ["little at night, somebody writing", night, MEGABYTE, 9 * MINUTE, false],
  ["at five the night is over", new Date(2026, 2, 1, 5), MEGABYTE, DAY, false],
  ["a large log in a pause", noon, 64 * MEGABYTE, 5 * SECOND, true],
  ["a large log while somebody writes", noon, 64 * MEGABYTE, 4 * SECOND, false],
  ["a huge log, whatever goes on", noon, 512 * MEGABYTE, 0, true],
];

test.each(MOMENTS)("when to checkpoint: %s", (_, at, bytes, quietFor, due) => {
  expect(isTimeToCheckpoint(at, { bytes, quietFor })).toBe(due);
});

test("the file stays as it is by day, and takes the changes in at night after a quiet while", () => {
  const { platen, pass } = startPlaten();
  const tasks = periodicTasks(platen);
  const before = fileTime(platen);
  const pages = filePages(platen);
  for (let number = 0; number < 500; number++) add(platen, number);
  tasks.step();
  expect(filePages(platen)).toBe(pages);

  pass(untilNight());
  add(platen, 1000);
  tasks.step();
  pass(9 * MINUTE);
  tasks.step();
  expect(fileTime(platen)).toBe(before);
  pass(MINUTE);
  tasks.step();
  expect(filePages(platen)).toBeGreaterThan(pages);
});

test("starting and stopping leave no change outside the file", () => {
  const { platen } = startPlaten();
  expect(logSize(platen)).toBeGreaterThan(0);
  const tasks = periodicTasks(platen);
  expect(logSize(platen)).toBe(0);
  add(platen, 1);
  tasks.stop();
  expect(logSize(platen)).toBe(0);
});

test("a plain copy taken between writes is whole and holds all of them", async () => {
  const { platen } = startPlaten();
  const tasks = periodicTasks(platen);
  for (let number = 0; number < 300; number++) {
    add(platen, number);
    tasks.step();
  }
  const copy = freshFolder();
  cpSync(platen.config.data, copy, { recursive: true });
  expect((await runPlaten(["check", "--data", copy])).code).toBe(0);
  const listed = JSON.parse((await runPlaten(["account", "list", "--json", "--data", copy])).stdout);
  expect(listed).toHaveLength(301);
});

function add(platen: Platen, number: number): void {
  addAccount(platen, { email: `reader-${number}@example.com` });
}

/** From the tests' START to half past three, local time. */
function untilNight(): number {
  const at = new Date(START);
  at.setHours(3, 30, 0, 0);
  return ((at.getTime() - START.getTime() + DAY) % DAY) + (at.getTime() === START.getTime() ? HOUR : 0);
}

const fileTime = (platen: Platen) => statSync(join(platen.config.data, "platen.db")).mtimeMs;
const filePages = (platen: Platen) => statSync(join(platen.config.data, "platen.db")).size;
const logSize = (platen: Platen) => statSync(join(platen.config.data, "platen.db-wal")).size;
