import { expect, test } from "bun:test";
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
