import { expect, spyOn, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addAccount, listAccounts } from "../../src/accounts/accounts";
import {
  inSharedTransaction,
  inTransaction,
  inUnsyncedTransaction,
  unsynced,
  waitForLock,
} from "../../src/database/transactions";
import type { Platen } from "../../src/platen";
import { lockDatabase } from "../support/other-program";
import { HOUR, startPlaten } from "../support/platen";

test.each([
  ["inTransaction", inTransaction] as const,
  ["inUnsyncedTransaction", inUnsyncedTransaction] as const,
])("%s rolls back all writes after an exception, also those of inner functions", (_name, transaction) => {
  const { platen } = startPlaten();
  const before = listAccounts(platen);
  const work = () => {
    addAccount(platen, { email: "bob@example.com" });
    throw new Error("no more");
  };
  expect(() => transaction(platen, work)).toThrow("no more");
  expect(listAccounts(platen)).toEqual(before);
  transaction(platen, () => addAccount(platen, { email: "bob@example.com" }));
  expect(listAccounts(platen)).toHaveLength(before.length + 1);
});

test("an exception in a nested transaction rolls back that transaction, or all if it is not caught", () => {
  const { platen, account } = startPlaten();
  const add = (email: string) => addAccount(platen, { email });
  const failing = () =>
    inTransaction(platen, () => {
      add("eve@example.com");
      throw new Error("no more");
    });
  inTransaction(platen, () => {
    add("bob@example.com");
    expect(failing).toThrow("no more");
  });
  expect(listAccounts(platen).map(({ email }) => email)).toEqual([account.email, "bob@example.com"]);
  const outerTransaction = () =>
    inTransaction(platen, () => {
      add("carol@example.com");
      failing();
    });
  expect(outerTransaction).toThrow("no more");
  expect(listAccounts(platen)).toHaveLength(2);
});

/** Number of commit frames in the WAL (sqlite.org/fileformat2.html, 4.1). */
function commitsIn({ config, db }: Platen): number {
  const log = readFileSync(join(config.data, "platen.db-wal"));
  const { page_size } = db.$client.query("PRAGMA page_size").get() as { page_size: number };
  let commits = 0;
  for (let frame = 32; frame < log.length; frame += 24 + page_size)
    if (log.readUInt32BE(frame + 4) > 0) commits++;
  return commits;
}

test("writes of one event-loop tick share a commit, and an exception rolls back only its own", async () => {
  const { platen } = startPlaten();
  const before = commitsIn(platen);
  const units = ["bob", "no more", "carol"].map((name) =>
    inSharedTransaction(platen, () => {
      const account = addAccount(platen, { email: `${name.replace(" ", "")}@example.com` });
      if (name === "no more") throw new Error(name);
      return [account.email, platen.db.$client.inTransaction];
    }),
  );
  expect(await Promise.allSettled(units)).toEqual([
    { status: "fulfilled", value: ["bob@example.com", true] },
    { status: "rejected", reason: new Error("no more") },
    { status: "fulfilled", value: ["carol@example.com", true] },
  ]);
  expect(listAccounts(platen).map(({ email }) => email)).toContainAllValues([
    "bob@example.com",
    "carol@example.com",
    "ada@example.com",
  ]);
  expect(commitsIn(platen) - before).toBe(1);
});

test("if a shared commit fails, each write is repeated in its own transaction", async () => {
  const { platen } = startPlaten();
  const add = (email: string) => inSharedTransaction(platen, () => addAccount(platen, { email }).email);
  const dangling = inSharedTransaction(platen, () => {
    platen.db.run("PRAGMA defer_foreign_keys = ON");
    platen.db.run("INSERT INTO views VALUES (4711, '2026-03-01', 1, 1)");
  });
  const outcomes = await Promise.allSettled([add("bob@example.com"), dangling, add("carol@example.com")]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(listAccounts(platen)).toHaveLength(3);
  expect(platen.db.$client.query("SELECT 1 FROM views").all()).toEqual([]);
});

test("more writes than fit into one commit all succeed", async () => {
  const { platen } = startPlaten();
  const emails = Array.from({ length: 120 }, (_, number) => `a${number}@example.com`);
  await Promise.all(emails.map((email) => inSharedTransaction(platen, () => addAccount(platen, { email }))));
  expect(listAccounts(platen)).toHaveLength(121);
});

test("all writes, also those that arrive later, wait while another process holds the lock", async () => {
  const { platen } = startPlaten();
  const lock = lockDatabase(platen.config.data);
  const add = (email: string) => inSharedTransaction(platen, () => addAccount(platen, { email }).email);
  const waiting = [add("a@example.com"), add("b@example.com")];
  await new Promise(setImmediate);
  waiting.push(add("c@example.com"));
  await new Promise(setImmediate);
  expect(listAccounts(platen)).toHaveLength(1);
  const before = commitsIn(platen);
  lock[Symbol.dispose]();
  expect(await Promise.all(waiting)).toEqual(["a@example.com", "b@example.com", "c@example.com"]);
  expect(commitsIn(platen) - before).toBe(1);
});

test("writes keep waiting for the lock after the machine has slept", async () => {
  const { platen } = startPlaten();
  const [clock, slept] = [performance.now.bind(performance), { milliseconds: 0 }];
  using _clock = spyOn(performance, "now").mockImplementation(() => clock() + slept.milliseconds);
  using sleep = spyOn(Bun, "sleep");
  const lock = lockDatabase(platen.config.data);
  let isSettled = false;
  const waiting = [
    inSharedTransaction(platen, () => addAccount(platen, { email: "a@example.com" })),
    waitForLock(platen).then(() => addAccount(platen, { email: "b@example.com" })),
  ].map((each) =>
    each.finally(() => {
      isSettled = true;
    }),
  );
  const pollAgain = async (until = sleep.mock.calls.length + 4) => {
    while (sleep.mock.calls.length < until && !isSettled) await new Promise(setImmediate);
  };
  await pollAgain();
  slept.milliseconds = HOUR;
  await pollAgain();
  expect(isSettled).toBe(false);
  lock[Symbol.dispose]();
  expect((await Promise.all(waiting)).map(({ email }) => email)).toEqual(["a@example.com", "b@example.com"]);
});

test("a command commits slow writes one by one, so that other processes can write in between", async () => {
  const { platen } = startPlaten();
  const command = { ...platen, isCommand: true };
  const long =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT sum(i) FROM n";
  const before = commitsIn(platen);
  const add = (number: number) =>
    inSharedTransaction(command, () => {
      platen.db.$client.query(long).get();
      addAccount(platen, { email: `${number}@example.com` });
    }).then(() => lockDatabase(platen.config.data)[Symbol.dispose]());
  await Promise.all([1, 2, 3].map(add));
  expect(commitsIn(platen) - before).toBe(3);
  expect(listAccounts(platen)).toHaveLength(1 + 3);
});

test("an exception during unsynced writes restores the synchronous setting", async () => {
  const { platen } = startPlaten();
  const synchronous = () => platen.db.$client.query("PRAGMA synchronous").get();
  const waited = synchronous();
  const failing = unsynced(platen, async () => {
    expect(synchronous()).not.toEqual(waited);
    throw new Error("no more");
  });
  await expect(failing).rejects.toThrow("no more");
  expect(synchronous()).toEqual(waited);
  const failed = () =>
    inUnsyncedTransaction(platen, () => {
      expect(synchronous()).not.toEqual(waited);
      throw new Error("no more");
    });
  expect(failed).toThrow("no more");
  expect(synchronous()).toEqual(waited);
});

test("the type of a transaction rejects an async callback, which would run after the commit", () => {
  const { platen } = startPlaten();
  // @ts-expect-error a promise
  const _promising = () => inTransaction(platen, async () => 1);
  // @ts-expect-error nothing, but later
  const _later = () => inUnsyncedTransaction(platen, async () => {});
  expect(inTransaction(platen, () => 1)).toBe(1);
});
