import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { indexWaiting } from "../../../src/posts/parts/search-index";
import { databaseFaults } from "../../../src/upkeep/database-check";
import { startPlaten, type TestPlaten } from "../../support/platen";
import { freshFolder, runPlaten, startServer } from "../../support/program";

const save = async (at: TestPlaten, title: string, content = "<p>Leaves.</p>") =>
  (await at.api("POST", "/posts", { post: { title, content, status: "published" } })).body.post.id;
const found = async (at: TestPlaten, words: string) => {
  const { body } = await at.api("GET", `/posts?search=${words}`);
  return body.posts.map(({ title }: { title: string }) => title);
};
const countWaiting = ({ platen }: TestPlaten) =>
  platen.db.$client.query<{ n: number }, []>("SELECT count(*) AS n FROM unindexed_posts").get()?.n;

test("whoever searches finds what was saved the moment before, as it is now, and no fault is seen meanwhile", async () => {
  const at = startPlaten();
  const [tea, coffee] = [await save(at, "Tea"), await save(at, "Coffee")];
  expect(countWaiting(at)).toBe(2);
  expect(databaseFaults(at.platen)).toEqual([]);
  expect(await found(at, "leaves")).toEqual(["Coffee", "Tea"]);
  expect(countWaiting(at)).toBe(0);

  await at.api("PATCH", `/posts/${tea}`, { post: { title: "Mate" } });
  await save(at, "Cocoa");
  await at.api("DELETE", `/posts/${coffee}`);
  expect(await found(at, "leaves")).toEqual(["Cocoa", "Mate"]);
  expect([await found(at, "tea"), await found(at, "coffee")]).toEqual([[], []]);
  expect(databaseFaults(at.platen)).toEqual([]);
});

test("a search page and Micropub find it too", async () => {
  const at = startPlaten();
  await save(at, "Tea");
  expect(await (await at.fetch("/search?q=leaves")).text()).toContain("Tea");
  await save(at, "Coffee");
  const headers = { authorization: `Bearer ${at.key}` };
  const listed = await (await at.fetch("/micropub?q=source&filter=leaves", { headers })).json();
  expect(listed.items).toHaveLength(2);
});

test("only so much waits", async () => {
  const at = startPlaten();
  const long = `<p>${"Leaves of tea. ".repeat(1000)}</p>`;
  const waiting = [];
  for (let number = 0; number < 90; number++) {
    await save(at, `Tea ${number}`, long);
    waiting.push(countWaiting(at));
  }
  expect(Math.max(...(waiting as number[]))).toBe(80);
  expect(waiting.at(-1)).toBeLessThan(20);
  expect((await at.api("GET", "/posts?search=leaves")).body.pagination.total).toBe(90);
});

test("what waits when the power goes is found after, and the folder is in order", async () => {
  const data = freshFolder();
  await runPlaten(["setup", "--email", "ada@example.com", "--title", "Tea", "--data", data]);
  const { stdout } = await runPlaten(["key", "add", "--account", "ada@example.com", "--data", data]);
  const headers = { authorization: `Bearer ${/platen_[\w-]+/.exec(stdout)?.[0]}` };
  {
    await using server = await startServer({ data });
    const body = JSON.stringify({ post: { title: "Tea", content: "Leaves.", status: "published" } });
    expect((await fetch(`${server.url}/api/v1/posts`, { method: "POST", headers, body })).status).toBe(201);
    await server.kill();
  }
  expect((await runPlaten(["check", "--data", data])).code).toBe(0);
  await using server = await startServer({ data });
  const { posts } = await (await fetch(`${server.url}/api/v1/posts?search=leaves`, { headers })).json();
  expect(posts).toMatchObject([{ title: "Tea" }]);
});

test("while another process keeps the database locked, the index is asked as it is; then all is found", async () => {
  const at = startPlaten();
  await save(at, "Tea");
  expect(await found(at, "leaves")).toEqual(["Tea"]);
  await save(at, "Coffee");
  const other = new Database(join(at.platen.config.data, "platen.db"));
  other.run("BEGIN IMMEDIATE");
  expect(await found(at, "leaves")).toEqual(["Tea"]);
  other.run("ROLLBACK");
  other.close();
  indexWaiting(at.platen);
  expect(await found(at, "leaves")).toEqual(["Coffee", "Tea"]);
});

test("to take words in changes nothing that anybody sees", async () => {
  const at = startPlaten();
  await save(at, "Tea");
  const page = await at.fetch("/");
  indexWaiting(at.platen);
  expect((await at.fetch("/")).headers.get("etag")).toBe(page.headers.get("etag"));
  expect(countWaiting(at)).toBe(0);
});
