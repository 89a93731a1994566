import { afterEach, expect, test } from "bun:test";
import { mergeIndex } from "../../../src/posts/search/index-merging";
import { databaseFaults } from "../../../src/upkeep/database-check";
import { startPlaten, type TestPlaten } from "../../support/platen";
import { canMount, smallDisk, unmount } from "../../support/small-disks";

afterEach(unmount);

const numberIn = ({ platen }: TestPlaten, query: string) =>
  Object.values(platen.db.$client.query<Record<string, number>, []>(query).get() ?? {})[0] as number;
const save = async (at: TestPlaten, content: string) =>
  (await at.api("POST", "/posts", { post: { title: "Tea", content, status: "published" } })).status;
const countFound = async (at: TestPlaten, words: string) =>
  (await at.api("GET", `/posts?search=${words}`)).body.pagination.total;
/** Another number, once another connection has written. */
const othersVersion = (at: TestPlaten) => numberIn(at, "PRAGMA data_version");

/** Sixteen of a size are put together, and then sixteen of those. */
const TWICE_PUT_TOGETHER = 256;

/** How many rows one turn of the event loop writes at most, pages of the index among them, while the work goes on. */
async function mostInOneTurn(at: TestPlaten, work: () => Promise<void>): Promise<number> {
  let [most, before, isOver] = [0, numberIn(at, "SELECT total_changes()"), false];
  const look = () => {
    if (isOver) return;
    const now = numberIn(at, "SELECT total_changes()");
    [most, before] = [Math.max(most, now - before), now];
    setImmediate(look);
  };
  look();
  await work().finally(() => {
    isOver = true;
  });
  return most;
}

test("where texts say one word again and again, its places are not put together in one turn of the server, and all are found", async () => {
  const at = startPlaten();
  const version = othersVersion(at);
  const text = `<p>${"tea ".repeat(20_000)}</p>`;
  const most = await mostInOneTurn(at, async () => {
    for (let number = 0; number < TWICE_PUT_TOGETHER; number++) expect(await save(at, text)).toBe(201);
  });
  // All of the word's pages are 5,000, written once and deleted once.
  expect(most).toBeLessThan(1000);
  expect(othersVersion(at)).not.toBe(version);
  expect(await countFound(at, '"tea tea"')).toBe(TWICE_PUT_TOGETHER);
  expect(await countFound(at, "coffee")).toBe(0);
  expect(databaseFaults(at.platen)).toEqual([]);
});

test("of other texts the index is put together by the server itself, and nothing that it keeps is forgotten for it", async () => {
  const at = startPlaten();
  const version = othersVersion(at);
  for (let number = 0; number < TWICE_PUT_TOGETHER; number++) {
    expect(await save(at, `<p>Leaves of tea, number ${number}.</p>`)).toBe(201);
    expect(await countFound(at, `"number ${number}"`)).toBe(1);
  }
  expect(numberIn(at, "SELECT count(DISTINCT segid) FROM post_search_idx")).toBeLessThan(32);
  expect(othersVersion(at)).toBe(version);
  expect(await countFound(at, "leaves")).toBe(TWICE_PUT_TOGETHER);
});

/** Has the index hold so many posts more in each part. */
function indexParts({ platen }: TestPlaten, parts: number[]) {
  for (const posts of parts) {
    platen.db.$client.run(
      `WITH RECURSIVE more (id) AS (
         SELECT 1000 + coalesce((SELECT max(rowid) FROM post_search), 0)
         UNION ALL SELECT id + 1 FROM more
       )
       INSERT INTO post_search (rowid, title, content) SELECT id, 'Coffee', 'number ' || id FROM more LIMIT ${posts}`,
    );
  }
}

async function partsOnceMerged(parts: number[], at = startPlaten()): Promise<number> {
  expect(await save(at, "<p>Leaves of tea.</p>")).toBe(201);
  indexParts(at, parts);
  expect(await countFound(at, "leaves")).toBe(1);
  await mergeIndex(at.platen);
  expect(await countFound(at, "leaves")).toBe(1);
  expect(numberIn(at, "SELECT count(*) FROM post_search WHERE post_search MATCH 'coffee'")).toBe(
    parts.reduce((sum, posts) => sum + posts),
  );
  return numberIn(at, "SELECT count(DISTINCT segid) FROM post_search_idx");
}

test("a large index is put together to one part, of parts too few of a size to be otherwise", async () => {
  expect(await partsOnceMerged(Array(5).fill(5000))).toBe(1);
});

test("of a large index nothing is put together while one part holds half, nor of a small one", async () => {
  expect(await partsOnceMerged([13_000, 5000, 5000])).toBe(4);
  expect(await partsOnceMerged(Array(5).fill(1000))).toBe(6);
});

test.skipIf(!canMount())("nor where the disk has too little room for the log of it", async () => {
  const at = startPlaten({ data: smallDisk(12) });
  expect(await partsOnceMerged(Array(10).fill(12_000), at)).toBe(11);
});
