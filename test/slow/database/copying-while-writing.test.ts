import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addAccount } from "../../../src/accounts/accounts";
import { MAX_COPY_MS, WalKeeper } from "../../../src/database/wal-keeper";
import type { Platen } from "../../../src/platen";
import { MINUTE, startPlaten } from "../../support/platen";
import { freshFolder } from "../../support/program";

const ORDERS = [
  ["platen.db", "platen.db-wal"],
  ["platen.db-wal", "platen.db"],
] as const;
/** Step of the simulated clock. */
const TICK = 10 * MINUTE;
/** Parts in which each file is read, one per tick: less than MAX_COPY_MS in all. */
const PARTS = { "platen.db": 4, "platen.db-wal": 2 };
/** Each write changes every 17th row. */
const SPREAD = 17;
/** Ticks with writes, then ticks without: too few for a complete checkpoint, and enough. */
const SPELLS = [[20, 20], ...[6, 8, 10, 12].map((pause) => [4, pause] as const), [6, 0]] as const;
const WRITES_PER_TICK = 4;
/** Writes in the first tick after a pause: more than a copy reads of the WAL in one. */
const WRITES_AFTER_PAUSE = 40;

test("a copy that takes less than an hour is intact in either order of files, despite checkpoints", async () => {
  expect((PARTS["platen.db"] + PARTS["platen.db-wal"] - 1) * TICK).toBeLessThan(MAX_COPY_MS);
  const { copies, moves, restarts } = await copiesOfLongRun((platen) => {
    const wal = new WalKeeper(platen, { hasSnapshotSince: () => true, uptime: () => platen.now().getTime() });
    return async () => {
      wal.step();
      await wal.settled();
    };
  });
  expect(copies.filter(({ torn }) => torn)).toEqual([]);
  expect(copies.filter(({ had, has }) => has < had)).toEqual([]);
  // Without this, the test would prove nothing.
  expect(copies.length).toBeGreaterThan(100);
  expect(moves).toBeGreaterThan(5);
  expect(restarts).toBe(0);
});

test("the same copies are damaged by checkpoints that do not wait for them", async () => {
  const damagedOrders = (copies: CopyResult[]) =>
    new Set(copies.filter(({ torn, had, has }) => torn || has < had).map(({ order }) => order)).size;
  const { copies } = await copiesOfLongRun(
    (platen) => {
      let ticks = 0;
      return async () => {
        if (++ticks % 6 === 0) platen.db.$client.query("PRAGMA wal_checkpoint(PASSIVE)").get();
      };
    },
    (copies) => damagedOrders(copies) === ORDERS.length,
  );
  expect(damagedOrders(copies)).toBe(ORDERS.length);
});

interface CopyResult {
  order: readonly string[];
  /** Number of writes acknowledged when the copy began, and number of writes in it. */
  had: number;
  has: number;
  torn: boolean;
}

/**
 * Starts two copies in each tick, one in each order, while changes are written; `step` is called after each tick.
 * @param isEnough ends the run early
 */
async function copiesOfLongRun(
  tasks: (platen: Platen) => () => Promise<void>,
  isEnough = (_copies: CopyResult[]) => false,
) {
  const { platen, pass } = startPlaten();
  // Skips syncs to the disk.
  platen.db.$client.run("PRAGMA synchronous = OFF");
  const step = tasks(platen);
  const underWay = new Set<Iterator<void, CopyResult>>();
  const copies: CopyResult[] = [];
  let [written, moves, restarts] = [0, 0, 0];
  let before = logOf(platen);
  const isWriting = SPELLS.flatMap(([busy, idle]) => [...Array(busy).fill(true), ...Array(idle).fill(false)]);
  for (const [tick, somebodyWrites] of isWriting.entries()) {
    if (isEnough(copies)) break;
    for (const order of ORDERS) underWay.add(copy(platen, order, written));
    for (const one of underWay) {
      const { done, value } = one.next();
      if (!done) continue;
      copies.push(value);
      underWay.delete(one);
    }
    const writes = isWriting[tick - 1] === false ? WRITES_AFTER_PAUSE : WRITES_PER_TICK;
    if (somebodyWrites) for (let count = 0; count < writes; count++) write(platen, ++written);
    pass(TICK);
    await step();
    const log = logOf(platen);
    if (log.checkpointed > before.checkpointed) moves++;
    if (log.log < before.log) restarts++;
    before = log;
  }
  return { copies, moves, restarts };
}

/** Adds a row, and changes rows all over the file. */
function write(platen: Platen, number: number): void {
  addAccount(platen, { email: `reader-${number}@example.com`, name: "0" });
  platen.db.$client.run("UPDATE accounts SET name = ? WHERE id % ? = ?", [
    String(number).padEnd(1500),
    SPREAD,
    number % SPREAD,
  ]);
}

/** Reads like `cp`: a part of a file per tick, up to its current end. */
function* copy(
  platen: Platen,
  order: readonly (keyof typeof PARTS)[],
  had: number,
): Iterator<void, CopyResult> {
  const folder = freshFolder();
  mkdirSync(folder);
  for (const name of order) {
    const parts: Buffer[] = [];
    const file = openSync(join(platen.config.data, name), "r");
    for (let part = 1; part <= PARTS[name]; part++) {
      parts.push(readFrom(file, parts, part === PARTS[name]));
      if (name !== order[1] || part !== PARTS[name]) yield;
    }
    closeSync(file);
    writeFileSync(join(folder, name), Buffer.concat(parts));
  }
  return { order, had, ...inspectCopy(join(folder, "platen.db")) };
}

function readFrom(file: number, parts: Buffer[], isLast: boolean): Buffer {
  const start = parts.reduce((sum, part) => sum + part.length, 0);
  const left = fstatSync(file).size - start;
  const part = Buffer.allocUnsafe(isLast ? left : Math.min(left, Math.ceil(left / 3) + 1000));
  return part.subarray(0, readSync(file, part, 0, part.length, start));
}

/** An intact copy equals the database after one of the writes. */
function inspectCopy(file: string): { has: number; torn: boolean } {
  using db = new Database(file);
  db.run("PRAGMA synchronous = OFF");
  try {
    const [found] = db.query("PRAGMA integrity_check").all() as { integrity_check: string }[];
    const rows = db.query("SELECT id, name FROM accounts WHERE email LIKE 'reader-%'").all() as Row[];
    const has = rows.length;
    return { has, torn: found?.integrity_check !== "ok" || !rows.every((row) => isAsAfter(has, row)) };
  } catch {
    return { has: 0, torn: true };
  }
}

interface Row {
  /** One more than the write's number, because there was an account before. */
  id: number;
  name: string;
}

function isAsAfter(writes: number, { id, name }: Row): boolean {
  const lastChange = writes - ((writes - id + SPREAD * id) % SPREAD);
  return Number(name) === (lastChange >= id - 1 ? lastChange : 0);
}

const logOf = ({ db }: Platen) =>
  db.$client.query("PRAGMA wal_checkpoint(NOOP)").get() as { log: number; checkpointed: number };
