import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addAccount } from "../../../src/accounts/accounts";
import { closeDatabase, openDatabase } from "../../../src/database/open";
import { nextTurn } from "../../../src/next-turn";
import type { Platen } from "../../../src/platen";
import { logKeeping } from "../../../src/upkeep/copies/log-keeping";
import { snapshots } from "../../../src/upkeep/copies/nightly-snapshots";
import { periodicTasks } from "../../../src/upkeep/periodic-tasks";
import { workerQueues } from "../../../src/worker-queue";
import { HOUR, SECOND, startPlaten } from "../../support/platen";
import { freshFolder, runPlaten } from "../../support/program";
import { tellsUnwritten, unwrittenPages } from "../../support/unwritten-pages";

const MEGABYTE = 1_048_576;

test("what is written stays in the log for six hours at least, and is in the file after twelve", async () => {
  const { platen, pass } = startPlaten();
  const tasks = keepLog(platen, snapshots(platen));
  const pages = filePages(platen);
  for (let number = 0; number < 200; number++) add(platen, number);
  for (let hour = 0; hour < 11; hour++) {
    pass(HOUR);
    tasks.step();
    await tasks.settled();
  }
  expect(isAtRest(platen)).toBe(false);
  pass(HOUR);
  tasks.step();
  await tasks.settled();
  expect(filePages(platen)).toBeGreaterThan(pages);
  expect(isAtRest(platen)).toBe(true);
});

test("where nobody has written for long, one page is left in the log, which does not start over, and nothing is written", async () => {
  const { platen, pass } = startPlaten();
  const keeping = keepLog(platen, snapshots(platen));
  const passHours = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      pass(HOUR);
      keeping.step();
      await keeping.settled();
    }
  };
  for (let number = 0; number < 200; number++) add(platen, number);
  await passHours(24);
  expect(isAtRest(platen)).toBe(true);
  const log = logPages(platen);
  const states = [fileState(platen, ""), fileState(platen, "-wal")];
  await passHours(48);
  expect([fileState(platen, ""), fileState(platen, "-wal")]).toEqual(states);
  add(platen, 200);
  expect(logPages(platen)).toBeGreaterThan(log);
});

test("of what was last written six hours ago, a server that starts now moves all; of what was written since, nothing", async () => {
  for (const [hours, isMoved] of [
    [6, true],
    [5, false],
  ] as const) {
    const { platen } = startPlaten();
    for (let number = 0; number < 200; number++) add(platen, number);
    const lastWrite = new Date(platen.now().getTime() - hours * HOUR);
    utimesSync(join(platen.config.data, "platen.db-wal"), lastWrite, lastWrite);
    const keeping = keepLog(platen, snapshots(platen));
    keeping.step();
    await keeping.settled();
    expect(pagesOf(platen).checkpointed > 0).toBe(isMoved);
  }
});

test("a clock that is set forward, as when a machine without one has found the time, lets nothing be moved early", async () => {
  const { platen, pass } = startPlaten();
  let uptime = 0;
  const keeping = keepLog(platen, snapshots(platen), { uptime: () => uptime });
  const stepped = async () => {
    keeping.step();
    await keeping.settled();
    return pagesOf(platen).checkpointed > 0;
  };
  pass(20_000 * HOUR);
  expect(await stepped()).toBe(false);
  pass(-40_000 * HOUR);
  uptime = 6 * HOUR - SECOND;
  expect(await stepped()).toBe(false);
  uptime = 6 * HOUR;
  expect(await stepped()).toBe(true);
});

test("a clock that is set back while the log is too long has no more than one snapshot made for that", async () => {
  const { platen, pass } = startPlaten();
  const asked: Date[] = [];
  const demand = (since: Date) => {
    asked.push(since);
    return false;
  };
  const keeping = keepLog(platen, { demand }, { freeOnDisk: () => 0 });
  grow(platen, 17 * MEGABYTE);
  keeping.step();
  pass(-9000 * HOUR);
  keeping.step();
  expect(asked.at(-1)).toEqual(platen.now());
});

test("nothing is moved while somebody else writes; nobody waits for that, and it is moved later", async () => {
  const { platen, pass, log } = startPlaten();
  add(platen, 1);
  const keeping = keepLog(platen, snapshots(platen));
  pass(6 * HOUR);
  using other = new Database(platen.db.$client.filename);
  other.run("BEGIN IMMEDIATE");
  keeping.step();
  await keeping.settled();
  expect(pagesOf(platen).checkpointed).toBe(0);
  other.run("ROLLBACK");
  keeping.step();
  await keeping.settled();
  expect(pagesOf(platen).checkpointed).toBeGreaterThan(0);
  expect(log).toEqual([]);
});

test("starting, stopping and commands leave file and log as they are: each may come while the folder is copied", async () => {
  const { platen } = startPlaten();
  add(platen, 1);
  const [file, log] = [filePages(platen), logSize(platen)];
  const tasks = periodicTasks(platen);
  await tasks.stop();
  closeDatabase(platen.db);
  expect([filePages(platen), logSize(platen)]).toEqual([file, log]);

  const { data } = platen.config;
  for (const command of [["account", "list"], ["account", "add", "--email", "b@example.com"], ["check"]]) {
    // The last to have it open, in a process that ends.
    const copy = freshFolder();
    cpSync(data, copy, { recursive: true });
    expect(await runPlaten([...command, "--data", copy])).toMatchObject({ code: 0 });
    expect(statSync(join(copy, "platen.db")).size).toBe(file);
    expect(statSync(join(copy, "platen.db-wal")).size).toBeGreaterThanOrEqual(log);
  }
  platen.db.$client.close(false);
});

test("while another program moves the log, or after it was killed at it, the database is not taken for overwritten; it is once it is", async () => {
  for (const [ending, isStartedAnew] of [
    ["ended", false],
    ["killed", false],
    ["ended", true],
    ["killed", true],
  ] as const) {
    const { platen, log, keeping, mover, size, damaged } = await movedHalfByOther(isStartedAnew);
    for (let second = 0; second < 5; second++) keeping.look();
    process.kill(mover.pid, ending === "killed" ? "SIGKILL" : "SIGCONT");
    let isOver = false;
    const over = mover.exited.then(() => (isOver = true));
    for (; !isOver; await nextTurn()) keeping.look();
    await over;
    for (let second = 0; second < 5; second++) keeping.look();
    expect(pagesOf(platen).checkpointed === 0).toBe(ending === "killed");
    expect([damaged(), log]).toEqual([0, []]);

    keeping.step();
    await keeping.settled();
    expect(pagesOf(platen).checkpointed).toBeGreaterThan(0);
    writeFileSync(platen.db.$client.filename, Buffer.alloc(size, "something else"));
    keeping.look();
    expect(damaged()).toBe(1);
    if (isStartedAnew) platen.db.$client.close(false);
  }
});

/** Another program, stopped while it moves the log. @returns it, and what was there before */
async function movedHalfByOther(isStartedAnew: boolean) {
  for (;;) {
    const { platen: first, log } = startPlaten();
    first.db.$client.run("PRAGMA synchronous = OFF");
    grow(first, 64 * MEGABYTE);
    const platen = isStartedAnew ? startedAnew(first) : first;
    let damaged = 0;
    const keeping = keepLog(platen, snapshots(platen), { onDamage: () => void damaged++ });
    const before = fileState(platen, "");
    const file = JSON.stringify(platen.db.$client.filename);
    const moveAll = `new (await import("bun:sqlite")).Database(${file}).query("PRAGMA wal_checkpoint").get()`;
    const mover = Bun.spawn([process.execPath, "-e", moveAll]);
    for (; Bun.deepEquals(fileState(platen, ""), before); await nextTurn()) keeping.look();
    process.kill(mover.pid, "SIGSTOP");
    const isHalf = pagesOf(platen).checkpointed === 0;
    if (isHalf) return { platen, log, keeping, mover, size: before.size, damaged: () => damaged };
    // The machine was busy with something else for as long as that took.
    mover.kill("SIGKILL");
  }
}

test("a log that has grown too long is started over at a quiet moment, after a snapshot; both are told", async () => {
  const { platen, pass, log, fetch } = startPlaten();
  platen.db.$client.run("PRAGMA synchronous = OFF");
  const making = snapshots(platen);
  const keeping = keepLog(platen, making, { freeOnDisk: () => 0 });
  const state = async () => await (await fetch("/readyz?full")).text();
  keeping.step();
  expect(await state()).toStartWith(
    "ready\nlog: 1 MB of at most 16 MB\ncopies: whole where they take less than 6 hours\n",
  );
  expect(snapshotOf(platen)).toBe(null);
  grow(platen, 17 * MEGABYTE);
  keeping.step();
  expect(log).toEqual([expect.stringContaining("has grown to 18 MB; its limit is 16 MB")]);
  expect(await state()).toContain("a copy under way then may be torn");
  await making.settled();
  const longest = logPages(platen);

  // Somebody writes again and again.
  for (let number = 0; number < 5; number++) {
    add(platen, number);
    pass(SECOND);
    keeping.step();
  }
  expect(snapshotOf(platen)).toEqual({ accounts: 1, fault: "ok" });
  expect(logPages(platen)).toBeGreaterThan(longest);
  pass(5 * SECOND);
  keeping.step();
  await keeping.settled();
  add(platen, 5);
  expect(logPages(platen)).toBeLessThan(100);
  keeping.step();
  expect(await state()).toContain("log: 1 MB of");
  expect(log).toHaveLength(1);
});

test("what is written while a log that is too long is moved is in the file too, and the log starts over", async () => {
  const { platen } = startPlaten();
  platen.db.$client.run("PRAGMA synchronous = OFF");
  const kept = snapshots(platen);
  const keeping = keepLog(platen, kept, { freeOnDisk: () => 0 });
  grow(platen, 65 * MEGABYTE);
  keeping.step();
  const moved = keeping.settled().then(() => "moved");
  let written = 0;
  do if (written < 30) add(platen, written++);
  while ((await Promise.race([moved, nextTurn()])) !== "moved");
  // The snapshot, which was begun with it, may still have read the log: then the next step tries again.
  await kept.settled();
  keeping.step();
  await keeping.settled();
  add(platen, written);
  expect(logPages(platen)).toBeLessThan(100);
  using db = new Database(platen.db.$client.filename, { readonly: true });
  expect(db.query("SELECT count(*) AS n FROM accounts").get()).toEqual({ n: written + 2 });
});

test("where no snapshot can be made, that is told, and the log grows to four times its limit before it starts over", async () => {
  const { platen, pass, log, fetch } = startPlaten();
  platen.db.$client.run("PRAGMA synchronous = OFF");
  const making = snapshots(platen);
  const keeping = keepLog(platen, making, { freeOnDisk: () => 0 });
  mkdirSync(join(platen.config.data, "snapshot.db", "in-the-way"), { recursive: true });
  grow(platen, 60 * MEGABYTE);
  keeping.step();
  await making.settled();
  expect(log.slice(1)).toEqual([
    expect.stringMatching(/^No snapshot was made; it is tried again in an hour\. ./),
  ]);
  expect(await (await fetch("/readyz?full")).text()).toContain("snapshot failed: ");
  pass(HOUR - SECOND);
  keeping.step();
  const before = logPages(platen);
  add(platen, 1);
  expect(logPages(platen)).toBeGreaterThan(before);
  grow(platen, 5 * MEGABYTE);
  keeping.step();
  await keeping.settled();
  add(platen, 2);
  expect(logPages(platen)).toBeLessThan(100);
});

/** On a machine that is up for as long as the test's clock says. */
function keepLog(
  platen: Platen,
  snapshots: Parameters<typeof logKeeping>[1],
  more: Parameters<typeof logKeeping>[2] = {},
) {
  return logKeeping(platen, snapshots, { uptime: () => platen.now().getTime(), ...more });
}

/** As by another process, where this one has ended: nothing was written or moved since. */
function startedAnew(platen: Platen): Platen {
  const data = freshFolder();
  for (const name of ["platen.db", "platen.db-wal"]) cpSync(join(platen.config.data, name), join(data, name));
  return { ...platen, config: { ...platen.config, data }, db: openDatabase(data) };
}

function add(platen: Platen, number: number): void {
  addAccount(platen, { email: `reader-${number}@example.com` });
}

function grow(platen: Platen, bytes: number): void {
  platen.db.$client.run("UPDATE accounts SET name = ?", ["n".repeat(bytes)]);
}

/** The database file alone, without its log, holds all but what is left there so that the log does not start over. */
function isAtRest(platen: Platen): boolean {
  const { log, checkpointed } = pagesOf(platen);
  return log === checkpointed + 1;
}

function snapshotOf(platen: Platen): { accounts: number; fault: string } | null {
  const file = join(platen.config.data, "snapshot.db");
  if (!existsSync(file)) return null;
  using db = new Database(file, { readonly: true });
  const { accounts } = db.query("SELECT count(*) AS accounts FROM accounts").get() as { accounts: number };
  const { integrity_check } = db.query("PRAGMA integrity_check").get() as { integrity_check: string };
  return { accounts, fault: integrity_check };
}

const pagesOf = ({ db }: Platen) =>
  db.$client.query("PRAGMA wal_checkpoint(NOOP)").get() as { log: number; checkpointed: number };
const logPages = (platen: Platen) => pagesOf(platen).log;
const filePages = (platen: Platen) => statSync(join(platen.config.data, "platen.db")).size;
const fileState = (platen: Platen, suffix: string) => {
  const { size, mtimeMs } = statSync(join(platen.config.data, `platen.db${suffix}`));
  return { size, mtimeMs };
};
const logSize = (platen: Platen) => statSync(join(platen.config.data, "platen.db-wal")).size;

test("a log is moved beside the server, which goes on writing: what is written meanwhile stays in the log", async () => {
  const { platen, pass } = startPlaten();
  platen.db.$client.run("PRAGMA synchronous = OFF");
  const keeping = keepLog(platen, { demand: () => true });
  grow(platen, 8 * MEGABYTE);
  pass(6 * HOUR);
  keeping.step();
  await keeping.settled();
  const file = filePages(platen);
  pass(6 * HOUR);
  keeping.step();
  let isMoved = false;
  const moved = keeping.settled().then(() => (isMoved = true));
  add(platen, 1);
  keeping.step();
  // Whatever could go on by itself, without word from the thread.
  for (let turn = 0; turn < 100; turn++) await null;
  expect(isMoved).toBe(false);
  await moved;
  const { log, checkpointed } = pagesOf(platen);
  expect(filePages(platen)).toBeGreaterThan(file + 7 * MEGABYTE);
  expect(checkpointed).toBeLessThan(log);
});

test("where the thread is lost, the server does not move the log itself; that is told, and later steps try again", async () => {
  const { platen, log } = startPlaten();
  platen.db.$client.run("PRAGMA synchronous = OFF");
  const keeping = keepLog(platen, { demand: () => true }, { freeOnDisk: () => 0 });
  grow(platen, 65 * MEGABYTE);
  const grown = logPages(platen);
  // One of an earlier test would begin at once, and may be through before it is lost.
  workerQueues.disk.end();
  keeping.step();
  workerQueues.disk.lose(new Error("The thread was lost."));
  await keeping.settled();
  expect(pagesOf(platen)).toMatchObject({ log: grown, checkpointed: 0 });
  expect(log.at(-1)).toContain("The thread was lost.");
  add(platen, 1);
  expect(logPages(platen)).toBeGreaterThan(grown);
  // A thread that ends in the middle holds SQLite's lock on moving for a moment yet.
  for (let number = 2; logPages(platen) > grown; number++) {
    keeping.step();
    await keeping.settled();
    add(platen, number);
  }
  expect(logPages(platen)).toBeLessThan(100);
});

test.skipIf(!tellsUnwritten())(
  "what is moved is on the disk when that is over, though more is left in the log",
  async () => {
    const { platen, pass } = startPlaten();
    const keeping = keepLog(platen, { demand: () => true });
    grow(platen, 8 * MEGABYTE);
    for (let pinned = 0; pinned < 2; pinned++) {
      pass(6 * HOUR);
      keeping.step();
      await keeping.settled();
    }
    expect(isAtRest(platen)).toBe(true);
    expect(filePages(platen)).toBeGreaterThan(8 * MEGABYTE);
    expect(unwrittenPages(platen.db.$client.filename)).toBe(0);
  },
);
