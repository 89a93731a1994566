import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { searchText } from "../../../src/posts/search/indexed-text";
import { asIndexed, isLikeIndexed } from "../../../src/posts/search/word-pieces";

const MIGRATION = readFileSync(join(import.meta.dir, "../../../migrations/0001_post_search.sql"), "utf8");

test("a word is weighed and continued as the index has it, whatever its letters", () => {
  const database = new Database(":memory:");
  database.run(MIGRATION);
  database.run("CREATE VIRTUAL TABLE words USING fts5vocab(post_search, instance)");
  const asked = new Map<number, string>();
  const add = database.query("INSERT INTO post_search (rowid, title, content) VALUES (?, '', ?)");
  for (let code = 1; code < 0x30000; code++) {
    const word = searchText(`xx${String.fromCodePoint(code)}`).trim();
    if (isLikeIndexed(word)) asked.set(code, word);
  }
  database.transaction(() => void asked.forEach((word, code) => void add.run(code, word)))();
  expect(asked.size).toBeGreaterThan(40_000);
  const held = database.query<{ doc: number; term: string }, []>("SELECT doc, term FROM words").all();
  expect(held.filter(({ doc, term }) => asIndexed(asked.get(doc) ?? "") !== term)).toEqual([]);
  expect(held.length).toBe(asked.size);
  database.close();
});
