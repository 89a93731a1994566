import { expect, test } from "bun:test";
import { startFederating } from "../support/federating";
import { recordStatements } from "../support/recorded-statements";

test("the outbox is made once for all readers, and again after a change", async () => {
  const statements = recordStatements();
  const at = await startFederating();
  await at.api("POST", "/posts", {
    post: { title: "Tea", status: "published", content: "<p>About tea.</p>" },
  });
  const url = `${at.actor.id?.href}/outbox`;
  const outbox = async () => (await at.fetch(url)).text();
  const first = await outbox();
  expect(first).toContain("About tea.");
  statements.length = 0;
  expect(await outbox()).toBe(first);
  expect(statements.filter((sql) => /\bcontents\b/.test(sql))).toEqual([]);
  await at.api("POST", "/posts", {
    post: { title: "Rye", status: "published", content: "<p>About rye.</p>" },
  });
  expect(await outbox()).toContain("About rye.");
});
