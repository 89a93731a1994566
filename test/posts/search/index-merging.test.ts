import { expect, test } from "bun:test";
import { databaseFaults } from "../../../src/upkeep/database-check";
import { startPlaten, type TestPlaten } from "../../support/platen";

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
