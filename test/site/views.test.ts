import { expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { dataVersion } from "../../src/database/change-counter";
import { periodicTasks } from "../../src/upkeep/background-tasks";
import { DAY, MINUTE, startPlaten, type TestPlaten } from "../support/platen";

const READER = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };

test("views of a post are counted by day, also for cached pages, and written once a minute", async () => {
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

test("bots, prefetches, other pages and missing ones are not counted", async () => {
  const { platen, api, fetch } = startPlaten();
  await api("POST", "/posts", { post: { title: "Read me", status: "published" } });
  await api("POST", "/posts", { post: { title: "Draft" } });
  await fetch("/read-me", { headers: { "user-agent": "Googlebot/2.1" } });
  await fetch("/read-me", { headers: { ...READER, "sec-purpose": "prefetch" } });
  await fetch("/read-me", { headers: READER, method: "HEAD" });
  await fetch("/read-me");
  for (const path of ["/", "/draft", "/nowhere"]) await fetch(path, { headers: READER });
  await periodicTasks(platen).stop();
  expect(platen.db.$client.query("SELECT * FROM views").all()).toEqual([]);
});

const rows = ({ platen }: TestPlaten, question: string) => platen.db.$client.query(question).values();
const visitFrom = (at: TestPlaten, referer: string, path = "/read-me") =>
  at.fetch(path, { headers: { ...READER, referer } });

async function startWithPost(fields: Record<string, unknown> = {}) {
  const at = startPlaten();
  await at.api("POST", "/posts", { post: { title: "Read me", status: "published", ...fields } });
  const tasks = periodicTasks(at.platen);
  tasks.step();
  const write = () => {
    at.pass(MINUTE);
    tasks.step();
  };
  return { at, write };
}

test("a blog's views are counted by days of its time zone, and clear no cached page", async () => {
  const { at, write } = await startWithPost();
  configureBlog(at.platen, at.blog, { timeZone: "Pacific/Auckland" });
  await at.api("POST", "/posts", { post: { title: "Other", status: "published" } });
  const before = dataVersion(at.platen);
  for (const path of ["/read-me", "/other", "/other"]) await at.fetch(path, { headers: READER });
  write();
  await at.fetch("/other", { headers: READER });
  write();
  expect(rows(at, "SELECT blog_id, day, count FROM blog_readings")).toEqual([[1, "2026-03-02", 4]]);
  expect(dataVersion(at.platen)).toBe(before);
});

test("only the host name of a referrer is stored", async () => {
  const { at, write } = await startWithPost();
  for (const referer of [
    "https://www.News.example.org/a/secret?path#x",
    "http://news.example.org:8080",
    "android-app://com.example",
    "http://blog.test/",
    "about:client",
    "https://news.example.org@evil.example/",
    `https://${"x".repeat(101)}.example/`,
    `https://long.example/${"x".repeat(2000)}`,
    "https://<script>/",
  ])
    expect((await visitFrom(at, referer)).status).toBe(200);
  write();
  expect(rows(at, "SELECT host, count FROM referrers")).toEqual([["news.example.org", 2]]);
  expect(rows(at, "SELECT count FROM blog_readings")).toEqual([[9]]);
});

test("fifty referrers a day are stored, the most frequent ones; the others are counted together", async () => {
  const { at, write } = await startWithPost();
  for (let site = 0; site < 60; site++) await visitFrom(at, `https://site-${site}.example/`);
  write();
  for (let times = 0; times < 3; times++) await visitFrom(at, "https://zoo.example/");
  write();
  expect(rows(at, "SELECT count(*), sum(count) FROM referrers")).toEqual([[51, 63]]);
  expect(rows(at, "SELECT host, count FROM referrers ORDER BY count DESC LIMIT 2")).toEqual([
    ["", 11],
    ["zoo.example", 3],
  ]);
});

test("does not count views of signed-in users", async () => {
  const { at, write } = await startWithPost();
  for (const cookie of ["platen_session=abc", "a=b; __Host-platen_session=abc"])
    await at.fetch("/read-me", { headers: { ...READER, cookie } });
  await at.fetch("/read-me", { headers: { ...READER, cookie: "platen_blog=ada" } });
  write();
  expect(rows(at, "SELECT count FROM views")).toEqual([[1]]);
});

test("after three months a post's days are merged into a total", async () => {
  const { at, write } = await startWithPost();
  for (let times = 0; times < 2; times++) {
    for (let reader = 0; reader < 2; reader++) await visitFrom(at, "https://news.example.org/");
    write();
    at.pass(DAY);
  }
  at.pass(91 * DAY);
  await visitFrom(at, "https://news.example.org/");
  write();
  expect(rows(at, "SELECT day, count FROM views ORDER BY day")).toEqual([
    ["", 4],
    ["2026-06-02", 1],
  ]);
  expect(rows(at, "SELECT count(*) FROM blog_readings")).toEqual([[3]]);
  at.pass(320 * DAY);
  write();
  expect(rows(at, "SELECT count(*) FROM referrers")).toEqual([[1]]);
});
