import { expect, test } from "bun:test";
import { platenApp } from "../../src/app";
import { openDatabase } from "../../src/database/open";
import { inTransaction } from "../../src/database/transactions";
import { searchText } from "../../src/posts/search/indexed-text";
import { searchQuery } from "../../src/posts/search/search-query";
import { dice } from "../support/dice";
import { DAY, START, startPlaten, type TestPlaten } from "../support/platen";
import { whileOthersTakeTurns } from "../support/turns";

const POSTS = 16_000;
const WORDS_OF_ONE = 120;
/** Words begin alike, in letters of several kinds, so that what begins so is much to read. */
const BEGINNINGS = ["kel", "kelb", "élan", "σοφός", "про", "köl", "ﬁn"];
const ENDS = ["a", "é", "ж", "ς", "ö", "9", "中", "한", "ß", "𐐨", "z", "i"];
const { below, oneOf } = (() => {
  const { below } = dice(11);
  return { below, oneOf: <T>(all: readonly T[]) => all[below(all.length)] as T };
})();

const anyWord = () =>
  oneOf(BEGINNINGS) +
  Array.from({ length: below(4) }, () => oneOf(ENDS)).join("") +
  (below(9) ? "" : below(900));

function fill({ platen, blog }: TestPlaten): void {
  const client = platen.db.$client;
  const add = client.query(
    `INSERT INTO posts (id, blog_id, status, type, title, slug, published_at, created_at, updated_at, is_announced)
     VALUES (?1, ?2, 'published', 'post', '', 'p' || ?1, ?3 - ?1, ?3, ?3, 1)`,
  );
  const say = client.query(
    "INSERT INTO contents (post_id, source_type, html, text, source) VALUES (?, 'html', '', ?, '')",
  );
  const index = client.query("INSERT INTO post_search (rowid, title, content) VALUES (?, '', ?)");
  inTransaction(platen, () => {
    for (let id = 1; id <= POSTS; id++) {
      const text = Array.from({ length: id % 3 ? WORDS_OF_ONE : 3 }, anyWord).join(" ");
      add.run(id, blog.id, START.getTime() - DAY);
      say.run(id, text);
      index.run(id, searchText(text));
    }
  });
}

const searched = (words: string) => `/posts?limit=100&search=${encodeURIComponent(words)}`;

function inOneStatement({ platen }: TestPlaten, words: string) {
  const ids = platen.db.$client
    .query<{ rowid: number }, [string]>(
      "SELECT rowid FROM post_search WHERE post_search MATCH ? ORDER BY rowid",
    )
    .all(searchQuery(words))
    .map(({ rowid }) => rowid);
  return { ids: ids.slice(0, 100), total: ids.length };
}

async function inTurns({ api }: TestPlaten, words: string) {
  const { posts, pagination } = (await api("GET", searched(words))).body;
  return { ids: posts.map(({ id }: { id: number }) => id), total: pagination.total };
}

test("words that are read in pieces find what one statement finds, in the same order, and as many", async () => {
  const at = startPlaten();
  fill(at);
  for (const words of ["kel", "ké", "KEL", "ela", "élan", "σοφ", "ΣΟΦΌΣ", "σοφός", "пр", "kol", "fin"])
    expect([words, await inTurns(at, words)]).toEqual([words, inOneStatement(at, words)]);
  const anyTerm = () => {
    const word = anyWord();
    const cut = Array.from(word)
      .slice(0, 2 + below(6))
      .join("");
    return oneOf([word, cut, cut, `"${word}"`, `"${word} ${cut}"`, `${cut}.${anyWord()}`]);
  };
  for (let round = 0; round < 60; round++) {
    const words = Array.from({ length: 1 + below(round % 3 ? 3 : 10) }, anyTerm).join(" ");
    expect([words, await inTurns(at, words)]).toEqual([words, inOneStatement(at, words)]);
  }
});

test.each(["kel", "kel élan σοφ про"])("others are answered while %s is looked for", async (words) => {
  const at = startPlaten();
  fill(at);
  const first = await whileOthersTakeTurns(() => at.api("GET", searched(words)));
  const kept = await whileOthersTakeTurns(() => at.api("GET", searched(words)));
  expect(first.answer.body.pagination.total).toBeGreaterThan(1000);
  expect(kept.answer.body).toEqual(first.answer.body);
  expect(first.turns).toBeGreaterThan(kept.turns + 2);
});

test("what is written while words are looked for is found by whoever looks for them next", async () => {
  const at = startPlaten();
  fill(at);
  const words = "kel про";
  const before = inOneStatement(at, words);
  const first = at.api("GET", searched(words));
  await new Promise(setImmediate);
  const writes = [3, 6, 9, 12, 15].map((id) =>
    at.api("PATCH", `/posts/${id}`, { post: { content: id < 9 ? "<p>ox</p>" : "<p>kelp профи</p>" } }),
  );
  await Promise.all([first, ...writes, at.api("DELETE", "/posts/1")]);
  const after = await inTurns(at, words);
  expect(after).not.toEqual(before);
  expect(after).toEqual(inOneStatement(at, words));
  expect(after).toEqual(await anew(at, words));
});

/** What is answered had it been started this moment. */
async function anew({ platen, key }: TestPlaten, words: string) {
  const db = openDatabase(platen.config.data);
  const headers = { authorization: `Bearer ${key}` };
  const app = platenApp({ ...platen, db });
  const answer = await app.handle(new Request(`http://blog.test/api/v1${searched(words)}`, { headers }));
  const { posts, pagination } = await answer.json();
  db.$client.close(false);
  return { ids: posts.map(({ id }: { id: number }) => id), total: pagination.total };
}
