import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { nextTurn } from "../../../src/next-turn";
import { indexWaiting } from "../../../src/posts/search/search-index";
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
  expect(Math.max(...(waiting as number[]))).toBe(77);
  expect(waiting.at(-1)).toBeLessThan(20);
  expect((await at.api("GET", "/posts?search=leaves")).body.pagination.total).toBe(90);
});

test("of texts of signs, each of which is a word, a save takes in a few", async () => {
  const at = startPlaten();
  const signs = `<p>${"^".repeat(15_000)}</p>`;
  const waiting = [0];
  for (let number = 0; number < 90; number++) {
    await save(at, `Tea ${number}`, signs);
    waiting.push(countWaiting(at) as number);
  }
  const taken = waiting.slice(1).map((count, number) => (waiting[number] as number) + 1 - count);
  expect(Math.max(...taken)).toBeWithin(3, 9);
  expect((await at.api("GET", "/posts?search=^")).body.pagination.total).toBe(90);
});

test("what waits is taken in for a search in turns, hundreds in each; and what is saved meanwhile is found", async () => {
  const at = startPlaten();
  await save(at, "Tea");
  const wait = at.platen.db.$client.query("INSERT OR IGNORE INTO unindexed_posts VALUES (?)");
  for (let number = 0; number < 2000; number++) wait.run(1000 + number);
  const left: number[] = [];
  const search = found(at, "leaves");
  do {
    left.push(countWaiting(at) as number);
    await nextTurn();
  } while (left.at(-1) !== 0);
  expect(await search).toEqual(["Tea"]);
  const taken = left.slice(1).map((count, turn) => (left[turn] as number) - count);
  expect(Math.max(...taken)).toBeWithin(100, 1500);

  for (let number = 0; number < 12; number++) {
    await Promise.all([found(at, "leaves"), save(at, `Tea ${number}`)]);
    expect(await found(at, "leaves")).toHaveLength(number + 2);
  }
});

test("a long text that waits is taken in for a search while others are answered", async () => {
  const at = startPlaten();
  const id = await save(at, "Tea", `<p>${"Leaves of tea. ".repeat(50_000)}</p>`);
  expect(countWaiting(at)).toBe(0);
  // As a process leaves it that is killed before it has taken it in.
  at.platen.db.$client.run(`DELETE FROM post_search WHERE rowid = ${id}`);
  at.platen.db.$client.run(`INSERT INTO unindexed_posts VALUES (${id})`);
  const search = found(at, "leaves");
  let turns = 0;
  for (; countWaiting(at); turns++) await nextTurn();
  // To read it takes three, to have its words made ready two more.
  expect(turns).toBeGreaterThan(4);
  expect(await search).toEqual(["Tea"]);
});

test("a post whose long content shows no text is found by its title, and waits no more", async () => {
  const at = startPlaten();
  await save(at, "Tea", "<!-- Leaves. -->".repeat(20_000));
  expect(await found(at, "tea")).toEqual(["Tea"]);
  expect(countWaiting(at)).toBe(0);
});

test("a long text that was searched for while a save took it in is found once it is saved", async () => {
  const at = startPlaten();
  const id = await save(at, "Tea", `<p>${"Leaves of tea. ".repeat(50_000)}</p>`);
  const renamed = at.api("PATCH", `/posts/${id}`, { post: { title: "Mate" } });
  while (!countWaiting(at)) await nextTurn();
  const early = await found(at, "mate");
  await renamed;
  expect([[], ["Mate"]]).toContainEqual(early);
  expect(await found(at, "mate")).toEqual(["Mate"]);
});

test("what is saved while a long text of the same post is taken in is found at once", async () => {
  const at = startPlaten();
  const id = await save(at, "Tea");
  expect(await found(at, "tea")).toEqual(["Tea"]);
  const long = at.api("PATCH", `/posts/${id}`, {
    post: { content: `<p>${"Leaves of tea. ".repeat(50_000)}</p>` },
  });
  while (!countWaiting(at)) await nextTurn();
  await at.api("PATCH", `/posts/${id}`, { post: { title: "Mate", content: "<p>Twigs.</p>" } });
  expect(await found(at, "twigs")).toEqual(["Mate"]);
  await long;
  expect(await found(at, "twigs")).toEqual(["Mate"]);
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
