import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { addAccount } from "../../src/accounts/accounts";
import { closeDatabase } from "../../src/database/open";
import { WalKeeper } from "../../src/database/wal-keeper";
import type { Platen } from "../../src/platen";
import { periodicTasks } from "../../src/upkeep/background-tasks";
import { nightlySnapshots } from "../../src/upkeep/recovery/snapshots";
import { AS_MONITOR, MONITOR } from "../support/monitor";
import { HOUR, MINUTE, SECOND, startPlaten } from "../support/platen";
import { freshFolder, runPlaten } from "../support/program";

const MEGABYTE = 1_048_576;

test("a change stays in the WAL for an hour, and is in the database file after two", async () => {
  const { platen, pass } = startPlaten();
  const wal = keepWal(platen);
  const size = fileSize(platen, "");
  for (let number = 0; number < 200; number++) add(platen, number);
  pass(HOUR - MINUTE);
  await stepped(wal);
  expect(walPages(platen).checkpointed).toBe(0);
  pass(MINUTE);
  await stepped(wal);
  pass(HOUR);
  await stepped(wal);
  expect(fileSize(platen, "")).toBeGreaterThan(size);
});

test("an idle server writes nothing, and its WAL is not reset", async () => {
  const { platen, pass } = startPlaten();
  const wal = keepWal(platen);
  const passHours = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      pass(HOUR);
      await stepped(wal);
    }
  };
  for (let number = 0; number < 200; number++) add(platen, number);
  await passHours(4);
  const { log, checkpointed } = walPages(platen);
  expect(log - checkpointed).toBe(1);
  const before = [fileState(platen, ""), fileState(platen, "-wal")];
  await passHours(12);
  expect([fileState(platen, ""), fileState(platen, "-wal")]).toEqual(before);
  add(platen, 200);
  expect(walPages(platen).log).toBeGreaterThan(log);
});

test("a clock that jumps forward causes no early checkpoint", async () => {
  const { platen, pass } = startPlaten();
  let uptime = 0;
  const wal = keepWal(platen, { uptime: () => uptime });
  add(platen, 1);
  pass(20_000 * HOUR);
  await stepped(wal);
  expect(walPages(platen).checkpointed).toBe(0);
  uptime = HOUR;
  await stepped(wal);
  expect(walPages(platen).checkpointed).toBeGreaterThan(0);
});

test("starting, stopping and commands change neither database file nor WAL", async () => {
  const { platen } = startPlaten();
  add(platen, 1);
  const [size, walSize] = [fileSize(platen, ""), fileSize(platen, "-wal")];
  await periodicTasks(platen).stop();
  closeDatabase(platen.db);
  expect([fileSize(platen, ""), fileSize(platen, "-wal")]).toEqual([size, walSize]);
  for (const command of [["account", "list"], ["account", "add", "--email", "b@example.com"], ["check"]]) {
    // The last connection closes.
    const copy = freshFolder();
    cpSync(platen.config.data, copy, { recursive: true });
    expect(await runPlaten([...command, "--data", copy])).toMatchObject({ code: 0 });
    expect(statSync(join(copy, "platen.db")).size).toBe(size);
    expect(statSync(join(copy, "platen.db-wal")).size).toBeGreaterThanOrEqual(walSize);
  }
});

test("a WAL beyond its limit is reset after a snapshot when there are no writes, and /readyz?full reports it", async () => {
  const { platen, pass, log, fetch } = startPlaten(MONITOR);
  platen.db.$client.run("PRAGMA synchronous = OFF");
  const making = nightlySnapshots(platen);
  const wal = keepWal(platen, { hasSnapshotSince: making.hasOneSince, freeOnDisk: () => 0 });
  const state = async () => await (await fetch("/readyz?full", AS_MONITOR)).text();
  wal.step();
  expect(await state()).toStartWith(
    "ready\nwal: 1 MB of at most 16 MB\ncopies: complete if copying takes less than 60 minutes\n",
  );
  grow(platen, 17 * MEGABYTE);
  wal.step();
  expect(log).toEqual([expect.stringMatching(/has grown to 1[78] MB; its limit is 16 MB/)]);
  expect(await state()).toContain("a copy made at that moment may be damaged");
  await making.settled();
  const { log: longest } = walPages(platen);
  // Another connection keeps writing.
  for (let number = 0; number < 5; number++) {
    add(platen, number);
    pass(SECOND);
    await stepped(wal);
  }
  expect(snapshotOf(platen)).toEqual({ accounts: 1, fault: "ok" });
  expect(walPages(platen).log).toBeGreaterThan(longest);
  pass(5 * SECOND);
  await stepped(wal);
  add(platen, 5);
  expect(walPages(platen).log).toBeLessThan(100);
  wal.step();
  expect(await state()).toContain("wal: 1 MB of");
  expect(log).toHaveLength(1);
});

test("changes during the checkpoint of a long WAL are kept, and the WAL is still reset", async () => {
  const { platen } = startPlaten();
  platen.db.$client.run("PRAGMA synchronous = OFF");
  const wal = keepWal(platen, { freeOnDisk: () => 0 });
  grow(platen, 33 * MEGABYTE);
  wal.step();
  const settled = wal.settled();
  for (let number = 0; number < 30; number++) add(platen, number);
  await settled;
  add(platen, 30);
  expect(walPages(platen).log).toBeLessThan(100);
  using file = new Database(platen.db.$client.filename, { readonly: true });
  expect(file.query("SELECT count(*) AS n FROM accounts").get()).toEqual({ n: 32 });
});

test("if no snapshot can be made, that is logged, and the WAL is reset at twice its limit", async () => {
  const { platen, log } = startPlaten();
  platen.db.$client.run("PRAGMA synchronous = OFF");
  const making = nightlySnapshots(platen);
  const wal = keepWal(platen, { hasSnapshotSince: making.hasOneSince, freeOnDisk: () => 0 });
  mkdirSync(join(platen.config.data, "snapshot.db", "in-the-way"), { recursive: true });
  grow(platen, 20 * MEGABYTE);
  await stepped(wal);
  await making.settled();
  expect(log.at(-1)).toStartWith("The snapshot failed");
  add(platen, 1);
  expect(walPages(platen).log).toBeGreaterThan(1000);
  grow(platen, 20 * MEGABYTE);
  await stepped(wal);
  add(platen, 2);
  expect(walPages(platen).log).toBeLessThan(100);
});

function keepWal(platen: Platen, options: Partial<ConstructorParameters<typeof WalKeeper>[1]> = {}) {
  return new WalKeeper(platen, {
    hasSnapshotSince: () => true,
    uptime: () => platen.now().getTime(),
    ...options,
  });
}

async function stepped(wal: WalKeeper): Promise<void> {
  wal.step();
  await wal.settled();
}

function add(platen: Platen, number: number): void {
  addAccount(platen, { email: `reader-${number}@example.com` });
}

function grow(platen: Platen, bytes: number): void {
  platen.db.$client.run("UPDATE accounts SET name = ?", ["n".repeat(bytes)]);
}

function snapshotOf(platen: Platen): { accounts: number; fault: string } | null {
  const file = join(platen.config.data, "snapshot.db");
  if (!existsSync(file)) return null;
  using db = new Database(file, { readonly: true });
  const { accounts } = db.query("SELECT count(*) AS accounts FROM accounts").get() as { accounts: number };
  const { integrity_check } = db.query("PRAGMA integrity_check").get() as { integrity_check: string };
  return { accounts, fault: integrity_check };
}

/** Frames in the WAL since it was last reset, and how many of them are checkpointed. */
const walPages = ({ db }: Platen) =>
  db.$client.query("PRAGMA wal_checkpoint(NOOP)").get() as { log: number; checkpointed: number };
const fileState = (platen: Platen, suffix: string) => {
  const { size, mtimeMs } = statSync(join(platen.config.data, `platen.db${suffix}`));
  return { size, mtimeMs };
};
const fileSize = (platen: Platen, suffix: string) => fileState(platen, suffix).size;
