import { expect, test } from "bun:test";
import { postsWithWord } from "../../../src/posts/search/index-reading";
import { wordAlone } from "../../../src/posts/search/word-pieces";
import { startPlaten } from "../../support/platen";

/** Always the same ones. */
function* numbersBelow(most: number): Generator<number, never> {
  for (let seed = 1; ; seed = (seed * 48_271) % 2_147_483_647) yield seed % most;
}

const LETTERS = ["a", "b", "é", "木", "\uE000z\uE000"];
const WORDS = LETTERS.flatMap((one) => LETTERS.map((other) => `t${one}${other}`)).concat("t", "ta", "tea");
const SOUGHT = [...WORDS, "teas", "s", "tz"].flatMap((word) => [`"${word}"`, `"${word}"*`]);

test("posts with a word, or one that goes on, are those that SQLite finds: in parts, half put together, of texts that were changed or deleted", () => {
  const { platen } = startPlaten();
  const { $client } = platen.db;
  const numbers = numbersBelow(1_000_000);
  const next = (most: number) => numbers.next().value % most;
  const put = $client.query("INSERT OR REPLACE INTO post_search (rowid, title, content) VALUES (?, ?, ?)");
  const remove = $client.query("DELETE FROM post_search WHERE rowid = ?");
  const match = $client.query<{ id: number }, [string]>(
    "SELECT rowid AS id FROM post_search WHERE post_search MATCH ?",
  );
  const some = () => Array.from({ length: next(40) }, () => WORDS[next(WORDS.length)]).join(" ");
  // The places of a word go over pages, and so do the posts that have it.
  const text = () => (next(50) === 0 ? `${some()} ${`${WORDS[next(WORDS.length)]} `.repeat(1500)}` : some());
  const faults: string[] = [];
  for (let round = 0; round < 96; round++) {
    $client.transaction(() => {
      for (let nth = 0; nth < 12; nth++)
        if (next(4) === 0) remove.run(next(700) + 1);
        else put.run(next(5) === 0 ? 3_000_000 + next(200) : next(700) + 1, some(), text());
    })();
    const merge = round % 30 === 28 ? -2 : next(6);
    if (merge !== 0) $client.run(`INSERT INTO post_search (post_search, rank) VALUES ('merge', ${merge})`);
    for (const term of round % 4 === 3 ? SOUGHT : []) {
      const { word = "", goesOn = false } = wordAlone(term) ?? {};
      const ids = match.all(term).map(({ id }) => id);
      if (postsWithWord(platen, word, goesOn).ids().join() !== ids.join()) faults.push(`${round}: ${term}`);
    }
  }
  expect(faults).toEqual([]);
  expect(match.all('"t"*').length).toBeGreaterThan(400);
});
