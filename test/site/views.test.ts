import { expect, test } from "bun:test";
import { periodicTasks } from "../../src/upkeep/periodic-tasks";
import { DAY, MINUTE, startPlaten } from "../support/platen";

const READER = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };

test("readings of a post are counted by day, from kept pages too, and written once a minute", async () => {
  const { platen, api, fetch, pass } = startPlaten();
  const { post } = (await api("POST", "/posts", { post: { title: "Read me", status: "published" } })).body;
  const counts = () => platen.db.$client.query("SELECT post_id, day, count FROM views ORDER BY day").all();
  const tasks = periodicTasks(platen);
  tasks.step();
  for (let reader = 0; reader < 3; reader++) await fetch("/read-me", { headers: READER });
  const { headers } = await fetch("/read-me", { headers: READER });
  const again = { ...READER, "if-none-match": headers.get("etag") as string };
  expect((await fetch("/read-me", { headers: again })).status).toBe(304);
  tasks.step();
  expect(counts()).toEqual([]);
  pass(MINUTE);
  tasks.step();
  expect(counts()).toEqual([{ post_id: post.id, day: "2026-03-01", count: 5 }]);
  await fetch("/read-me", { headers: READER });
  pass(DAY);
  tasks.step();
  expect(counts()).toHaveLength(2);
});

test("machines, look-aheads, other pages and missing ones are not counted", async () => {
  const { platen, api, fetch } = startPlaten();
  await api("POST", "/posts", { post: { title: "Read me", status: "published" } });
  await api("POST", "/posts", { post: { title: "Draft" } });
  await fetch("/read-me", { headers: { "user-agent": "Googlebot/2.1" } });
  await fetch("/read-me", { headers: { ...READER, "sec-purpose": "prefetch" } });
  await fetch("/read-me", { headers: READER, method: "HEAD" });
  await fetch("/read-me");
  for (const path of ["/", "/draft", "/nowhere"]) await fetch(path, { headers: READER });
  periodicTasks(platen).stop();
  expect(platen.db.$client.query("SELECT * FROM views").all()).toEqual([]);
});
