import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { someWords } from "../../bench/speed/corpus-text";
import { nextTurn } from "../../src/next-turn";
import { dice } from "../support/dice";
import { startPlaten, type TestPlaten } from "../support/platen";

/** In bytes. */
const CONTENT = 5000;
const MOST_LOGGED = 40_000;
const POSTS_BEFORE = 60;
const POSTS = 240;
/** Posts that are taken into the index together. */
const A_PART = 12;

test("a post of 5 KB appends at most 40 KB to the write-ahead log, with its words taken into the search index", async () => {
  const at = startPlaten();
  const writer = writerAt(at);
  await writer.create(POSTS_BEFORE);
  await writer.search();

  const before = writer.log();
  await writer.create(POSTS);
  expect((await writer.search()).body.pagination.total).toBe(POSTS_BEFORE + POSTS);
  expect((writer.log() - before) / POSTS).toBeLessThan(MOST_LOGGED);
});

test("searches in between, each of which takes in what was written, do not make it more: sixteen parts are put together at once", async () => {
  const writer = writerAt(startPlaten());
  const before = writer.log();
  for (let part = 0; part < 15; part++) {
    await writer.create(A_PART);
    await writer.search();
    await nextTurn();
  }
  expect((writer.log() - before) / (15 * A_PART)).toBeLessThan(MOST_LOGGED);
});

/** Creates posts of 5 KB in the benchmark's words. */
function writerAt(at: TestPlaten) {
  const { below } = dice(3);
  const { spoken } = someWords();
  let created = 0;
  const one = async () => {
    let content = "";
    while (content.length < CONTENT)
      content += `<p>${Array.from({ length: 60 }, () => spoken(below)).join(" ")}.</p>`;
    const post = { title: `Written ${created++}`, content, status: "published" };
    expect((await at.api("POST", "/posts", { post })).status).toBe(201);
  };
  return {
    async create(count: number) {
      for (let number = 0; number < count; number++) await one();
    },
    search: () => at.api("GET", "/posts?search=written"),
    log: () => statSync(join(at.platen.config.data, "platen.db-wal")).size,
  };
}
