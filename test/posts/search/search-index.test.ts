import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { startBackgroundTasks } from "../../../src/upkeep/background-tasks";
import { checkDatabase } from "../../../src/upkeep/check/database-check";
import { startOwned } from "../../admin/owner";
import { startPlaten, type TestPlaten } from "../../support/platen";
import { until } from "../../support/waiting";

const save = async (at: TestPlaten, title: string, content = "<p>Leaves.</p>") =>
  (await at.api("POST", "/posts", { post: { title, content, status: "published" } })).body.post.id;
const searchTitles = async (at: TestPlaten, words: string) => {
  const { body } = await at.api("GET", `/posts?search=${encodeURIComponent(words)}`);
  return body.posts.map(({ title }: { title: string }) => title);
};

test("a search finds each post by its current content", async () => {
  const at = startPlaten();
  const [tea, coffee] = [await save(at, "Tea"), await save(at, "Coffee")];
  expect(await searchTitles(at, "leaves")).toEqual(["Coffee", "Tea"]);
  await at.api("PATCH", `/posts/${tea}`, { post: { title: "Mate" } });
  await save(at, "Cocoa");
  await at.api("DELETE", `/posts/${coffee}`);
  expect(await searchTitles(at, "leaves")).toEqual(["Cocoa", "Mate"]);
  expect([await searchTitles(at, "tea"), await searchTitles(at, "coffee")]).toEqual([[], []]);
  await at.api("PATCH", `/posts/${tea}`, { post: { content: "<p>Twigs.</p>" } });
  expect([await searchTitles(at, "leaves"), await searchTitles(at, "twig")]).toEqual([["Cocoa"], ["Mate"]]);
  expect(checkDatabase(at.platen)).toEqual([]);
});

test("the search page and Micropub find the same posts", async () => {
  const at = startPlaten();
  await save(at, "Tea");
  await save(at, "Coffee");
  expect(await (await at.fetch("/search?q=leaves")).text()).toContain("Tea");
  const headers = { authorization: `Bearer ${at.key}` };
  const listed = await (await at.fetch("/micropub?q=source&filter=leaves", { headers })).json();
  expect(listed.items).toHaveLength(2);
});

test("many searches by readers do not reject a search by the owner", async () => {
  const at = startPlaten();
  await save(at, "Tea");
  const searches = Array.from({ length: 40 }, (_, index) => at.fetch(`/search?q=leaves+${index}`));
  await new Promise(setImmediate);
  expect(await searchTitles(at, "leaves")).toEqual(["Tea"]);
  const statuses = (await Promise.all(searches)).map(({ status }) => status);
  expect(statuses).toContain(200);
  expect(statuses).toContain(503);
});

test("only the last word is a prefix", async () => {
  const at = startPlaten();
  await save(at, "Teapot", "<p>Green leaves.</p>");
  expect(await searchTitles(at, "green leav")).toEqual(["Teapot"]);
  expect(await searchTitles(at, "gre leaves")).toEqual([]);
});

test("posts restored from the trash together are found again", async () => {
  const at = await startOwned();
  const ids = [await save(at, "Quay"), await save(at, "Harbour")];
  for (const id of ids) await at.api("DELETE", `/posts/${id}`);
  await at.browser.post("/admin/blogs/ada/posts/trash", { id: ids.map(String) });
  expect([await searchTitles(at, "quay"), await searchTitles(at, "harbour")]).toEqual([
    ["Quay"],
    ["Harbour"],
  ]);
});

test("every word of a long text is found", async () => {
  const at = startPlaten();
  const words = Array.from({ length: 60_000 }, (_, number) => `w${number.toString(36)}`);
  await save(at, "Words", `<p>${words.join(" ")}</p>`);
  expect([await searchTitles(at, "w1"), await searchTitles(at, words.at(-1) as string)]).toEqual([
    ["Words"],
    ["Words"],
  ]);
});

test("a search works while another process keeps the database locked", async () => {
  const at = startPlaten();
  await save(at, "Tea");
  using other = new Database(join(at.platen.config.data, "platen.db"));
  other.run("BEGIN IMMEDIATE");
  expect(await searchTitles(at, "leaves")).toEqual(["Tea"]);
  other.run("ROLLBACK");
});

test("posts that are missing from the index are indexed when the server starts", async () => {
  const at = startPlaten();
  await save(at, "Tea");
  at.platen.db.$client.run("DELETE FROM post_search");
  expect(await searchTitles(at, "leaves")).toEqual([]);
  const { stop } = startBackgroundTasks(at.platen, {
    channels: [],
    jobKinds: [],
    lastRequestAt: () => Number.NEGATIVE_INFINITY,
  });
  await until(async () => (await searchTitles(at, "leaves")).length === 1, "the post to be found");
  await stop();
});
