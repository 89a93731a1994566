import { expect, test } from "bun:test";
import { desc, sql } from "drizzle-orm";
import { listAccounts } from "../../src/accounts/accounts";
import {
  countRows,
  deleteRow,
  deleteRows,
  findRow,
  findRows,
  findValues,
  hasRow,
  insertIfNew,
  insertRow,
  updateRow,
  upsertRow,
} from "../../src/database/rows";
import { accounts, formerTopics, settings } from "../../src/database/schema";
import { startPlaten } from "../support/platen";

test.each([
  ["without a condition", undefined],
  ["without values", {}],
  ["with a forgotten value", { email: undefined }],
])("deletes no rows %s", (_name, where) => {
  const { platen } = startPlaten();
  expect(() => deleteRows(platen, accounts, where)).toThrow(TypeError);
  expect(listAccounts(platen)).toHaveLength(1);
});

test("finds rows in order, by page and by column", () => {
  const { platen } = startPlaten();
  for (const name of ["b", "a", "c"]) insertRow(platen, settings, { name, value: `value of ${name}` });
  const isShort = sql`length(${settings.name}) = 1`;
  expect(findRows(platen, settings, isShort, { orderBy: settings.name, limit: 1, offset: 1 })).toEqual([
    { name: "b", value: "value of b" },
  ]);
  expect(findValues(platen, settings, "name", isShort, { orderBy: desc(settings.name) })).toEqual([
    "c",
    "b",
    "a",
  ]);
  expect(findRow(platen, settings, isShort, [settings.value])).toEqual({ name: "a", value: "value of a" });
  expect(countRows(platen, settings, isShort)).toBe(3);
  expect(countRows(platen, settings)).toBe(findRows(platen, settings).length);
});

test("looks for a row without reading further rows", () => {
  const { platen } = startPlaten();
  for (const name of ["a", "b"]) insertRow(platen, settings, { name, value: "" });
  const failsAtSecond = sql`CASE ${settings.name} WHEN 'a' THEN 1 WHEN 'b' THEN json('') ELSE 0 END`;
  expect(() => countRows(platen, settings, failsAtSecond)).toThrow("malformed JSON");
  expect(hasRow(platen, settings, failsAtSecond)).toBe(true);
});

test("inserts a row once, or updates its columns outside the key", () => {
  const { platen, blog } = startPlaten();
  const slug = { blogId: blog.id, kind: "tag" as const, slug: "tea" };
  expect(insertIfNew(platen, formerTopics, { ...slug, topicId: 1 })).toEqual({ ...slug, topicId: 1 });
  expect(insertIfNew(platen, formerTopics, { ...slug, topicId: 2 })).toBeUndefined();
  const key = ["blogId" as const, "kind" as const, "slug" as const];
  expect(upsertRow(platen, formerTopics, { ...slug, topicId: 3 }, key)).toEqual({ ...slug, topicId: 3 });
  expect(findRows(platen, formerTopics)).toEqual([{ ...slug, topicId: 3 }]);
});

test("returns the row that was changed or deleted", () => {
  const { platen } = startPlaten();
  insertRow(platen, settings, { name: "a", value: "1" });
  expect(updateRow(platen, settings, { name: "a" }, { value: "2" })).toEqual({ name: "a", value: "2" });
  expect(deleteRow(platen, settings, { name: "a" })).toEqual({ name: "a", value: "2" });
  expect(deleteRow(platen, settings, { name: "a" })).toBeUndefined();
});
