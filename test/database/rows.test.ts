import { expect, test } from "bun:test";
import { listAccounts } from "../../src/accounts/accounts";
import { deleteRows } from "../../src/database/rows";
import { accounts } from "../../src/database/schema";
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
