import { expect, test } from "bun:test";
import { addAccount, listAccounts } from "../../src/accounts/accounts";
import { inTransaction, inUnsyncedTransaction } from "../../src/database/transactions";
import { startPlaten } from "../support/platen";

test.each([
  ["inTransaction", inTransaction] as const,
  ["inUnsyncedTransaction", inUnsyncedTransaction] as const,
])(
  "%s undoes with an exception what functions inside have written, though they were given platen only",
  (_name, transaction) => {
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
  },
);

test("one inside another is a part of it: caught, its exception undoes that part; uncaught, all", () => {
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
  const both = () =>
    inTransaction(platen, () => {
      add("carol@example.com");
      failing();
    });
  expect(both).toThrow("no more");
  expect(listAccounts(platen)).toHaveLength(2);
});

test("an async callback is refused by the compiler: its rest would run after the commit", () => {
  const { platen } = startPlaten();
  // @ts-expect-error a promise
  const _promising = () => inTransaction(platen, async () => 1);
  // @ts-expect-error nothing, but later
  const _later = () => inUnsyncedTransaction(platen, async () => {});
  expect(inTransaction(platen, () => 1)).toBe(1);
});
