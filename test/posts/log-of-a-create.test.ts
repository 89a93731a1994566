import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { someWords } from "../../bench/speed/corpus-text";
import { dice } from "../support/dice";
import { startPlaten } from "../support/platen";

/** In bytes. */
const CONTENT = 5000;
const MOST_LOGGED = 40_000;
const POSTS_BEFORE = 60;
const POSTS = 240;

test("a post of 5 KB appends at most 40 KB to the write-ahead log, with its words taken into the search index", async () => {
  const at = startPlaten();
  const { below } = dice(3);
  const { spoken } = someWords();
  const create = async (number: number) => {
    let content = "";
    while (content.length < CONTENT)
      content += `<p>${Array.from({ length: 60 }, () => spoken(below)).join(" ")}.</p>`;
    const post = { title: `Written ${number}`, content, status: "published" };
    expect((await at.api("POST", "/posts", { post })).status).toBe(201);
  };
  const log = () => statSync(join(at.platen.config.data, "platen.db-wal")).size;
  for (let number = 0; number < POSTS_BEFORE; number++) await create(number);
  await at.api("GET", "/posts?search=written");

  const before = log();
  for (let number = 0; number < POSTS; number++) await create(POSTS_BEFORE + number);
  expect((await at.api("GET", "/posts?search=written")).body.pagination.total).toBe(POSTS_BEFORE + POSTS);
  expect((log() - before) / POSTS).toBeLessThan(MOST_LOGGED);
});
