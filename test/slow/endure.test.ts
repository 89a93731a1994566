import { expect, test } from "bun:test";
import { join } from "node:path";
import { Ledger } from "../../bench/endure/ledger";
import { builtExecutable } from "../support/executable";
import { runToEnd } from "../support/program";

const ENDURE = join(import.meta.dir, "../../bench/endure/endure.ts");

test("no acknowledged change is lost under random writes, copies, backups and restarts", async () => {
  await builtExecutable();
  const run = await runToEnd([process.execPath, ENDURE, "--rounds", "2"], { patience: 600_000 });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining(", 0 errors") });
}, 900_000);

test("missing, duplicated, outdated and unknown items are reported; unacknowledged changes may be there or not", () => {
  const ledger = new Ledger();
  for (const name of ["missing", "doubled", "old", "removed"]) ledger.begin(name, "1")();
  ledger.begin("old", "2")();
  ledger.begin("removed", null)();
  ledger.begin("begun", "1");
  const from = performance.now();
  const [there, changed] = [ledger.begin("changing", "1"), () => ledger.begin("changing", "2")()];
  there();
  changed();
  const contents = (states: Record<string, string[]>) => new Map(Object.entries(states));
  const found = {
    doubled: ["1", "1"],
    old: ["1"],
    removed: ["1"],
    made: ["1"],
    begun: ["1"],
    changing: ["1"],
  };
  ledger.compare("There", contents(found), from, performance.now());
  expect(ledger.errors.map((error) => /^There: (\w+) is/.exec(error)?.[1]).sort()).toEqual([
    "doubled",
    "made",
    "missing",
    "old",
    "removed",
  ]);
  ledger.errors.length = 0;
  const right = { missing: ["1"], doubled: ["1"], old: ["2"] };
  ledger.compare("There", contents(right), from, performance.now());
  expect(ledger.errors).toEqual([]);
  ledger.compare("There", contents({ ...right, changing: ["1"] }), performance.now(), performance.now());
  expect(ledger.errors).toHaveLength(1);
});
