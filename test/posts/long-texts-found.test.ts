import { expect, test } from "bun:test";
import { removeFromIndex } from "../../src/posts/search/search-index";
import { startOwned } from "../admin/owner";
import { startPlaten, type TestPlaten } from "../support/platen";

const save = async (at: TestPlaten, content: string, title = "Tea") =>
  (await at.api("POST", "/posts", { post: { title, content, status: "published" } })).body.post;
const found = async (at: TestPlaten, words: string) =>
  (await at.api("GET", `/posts?search=${encodeURIComponent(words)}`)).body.pagination.total;

test("a long text is found by its last word, also after its title was changed and it was deleted and brought back", async () => {
  const at = startPlaten();
  const { id, url } = await save(at, `<p>${"A word and more. ".repeat(5000)}The quay.</p>`);
  expect(await found(at, "quay")).toBe(1);
  expect((await at.api("PATCH", `/posts/${id}`, { post: { title: "Coffee" } })).status).toBe(200);
  expect([await found(at, "coffee"), await found(at, "tea"), await found(at, "quay")]).toEqual([1, 0, 1]);
  const act = (action: string) =>
    at.fetch("/micropub", {
      method: "POST",
      headers: { authorization: `Bearer ${at.key}` },
      body: new URLSearchParams({ action, url }),
    });
  await act("delete");
  expect(await found(at, "quay")).toBe(0);
  await act("undelete");
  expect(await found(at, "quay")).toBe(1);
});

test("of a text of more different words than anybody uses the beginning is found", async () => {
  const at = startPlaten();
  const words = Array.from({ length: 60_000 }, (_, number) => `w${number.toString(36)}`);
  await save(at, `<p>${words.join(" ")}</p>`);
  expect([await found(at, "w1"), await found(at, words.at(-1) as string)]).toEqual([1, 0]);
});

test("signs without end are saved, and others are answered meanwhile", async () => {
  const at = startPlaten();
  const saved = save(at, "^".repeat(1_000_000));
  expect((await at.fetch("/livez")).status).toBe(200);
  expect((await saved).id).toBe(1);
  expect(await found(at, "^")).toBe(1);
});

test("two long posts brought back from the trash together are found again", async () => {
  const at = await startOwned();
  const ids: number[] = [];
  for (const word of ["quay", "harbour"])
    ids.push((await save(at, `<p>${"A word and more. ".repeat(5000)}The ${word}.</p>`, word)).id);
  for (const id of ids) await at.api("DELETE", `/posts/${id}`);
  const form = { id: ids.map(String) };
  const restored = await at.browser.post("/admin/blogs/ada/posts/trash", form);
  expect(restored.status).toBe(303);
  expect([await found(at, "quay"), await found(at, "harbour")]).toEqual([1, 1]);
});

test("a long text whose save was killed before its words were taken in is found after the next start", async () => {
  const at = startPlaten();
  const { id } = await save(at, `<p>${"A word and more. ".repeat(5000)}The quay.</p>`);
  // As it stands between the two.
  removeFromIndex(at.platen, id);
  at.platen.db.$client.run("INSERT INTO unindexed_posts VALUES (?)", [id]);
  expect(await found(at, "quay")).toBe(1);
});

test("however many long texts were taken in, the index is put together beside the saves, to few parts", async () => {
  const at = startPlaten();
  const words = (from: number) => Array.from({ length: 3000 }, (_, number) => `w${from + number}`).join(" ");
  for (let number = 0; number < 24; number++) await save(at, `<p>${words(number * 3000)}</p>`);
  const { parts } = at.platen.db.$client
    .query("SELECT count(DISTINCT segid) AS parts FROM post_search_idx")
    .get() as { parts: number };
  expect(parts).toBeLessThan(16);
  expect([await found(at, '"w1"'), await found(at, '"w71999"')]).toEqual([1, 1]);
});
