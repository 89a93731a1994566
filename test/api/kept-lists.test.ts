import { expect, test } from "bun:test";
import { platenApp } from "../../src/app";
import { openDatabase } from "../../src/database/open";
import { inTransaction } from "../../src/database/transactions";
import { listedIds } from "../../src/posts/reading/post-listing";
import { indexWaiting, wordsSought } from "../../src/posts/search/search-index";
import { dice } from "../support/dice";
import { DAY, HOUR, START, startPlaten, type TestPlaten } from "../support/platen";
import { whileOthersTakeTurns } from "../support/turns";

/** So many that a word all have is no handful's, and that pages in the middle are far from both ends. */
const POSTS = 1200;
/** Of them, those with the word "elk". */
const ELKS = 400;

/** Written by rows: every third says "elk", every hundredth "yak" too. Post 1 is live, 2 a draft, 3 due in an hour. */
function fill({ platen, blog }: TestPlaten): void {
  const { below } = dice(7);
  const client = platen.db.$client;
  const add = client.query(
    `INSERT INTO posts (id, blog_id, status, type, title, slug, published_at, created_at, updated_at, is_announced)
     VALUES (?, ?, ?, 'post', ?, ?, ?, ?, ?, 1)`,
  );
  const say = client.query(
    "INSERT INTO contents (post_id, source_type, html, text, source) VALUES (?, 'html', '', ?, '')",
  );
  const wait = client.query("INSERT INTO unindexed_posts VALUES (?)");
  inTransaction(platen, () => {
    for (let id = 1; id <= POSTS; id++) {
      const time = START.getTime() - below(900) * DAY - HOUR;
      const state = id === 2 ? "draft" : "published";
      const due = id === 3 ? START.getTime() + HOUR : time;
      add.run(id, blog.id, state, `p${below(50)}`, `post-${id}`, state === "draft" ? null : due, time, time);
      say.run(id, `${id % 3 === 1 || id < 4 ? "elk" : "ox"} ${id % 100 === 1 ? "yak" : ""}`);
      wait.run(id);
    }
  });
}

const ASKED = [
  "/posts?search=elk",
  "/posts?search=elk&page=9",
  "/posts?search=elk&status=all&sort=title",
  "/posts?search=elk&sort=-updated_at&page=4",
  "/posts?search=yak",
  "/posts?search=yak&status=all&sort=title",
  "/posts?search=elk%20tapir",
  "/posts?status=scheduled",
  "/posts?status=scheduled&search=elk&sort=title",
  "/posts?sort=title&page=30",
  "/posts?status=all&sort=-published_at&page=30",
  "/posts?status=all&sort=published_at&page=30",
  "/posts?sort=-created_at&page=31",
];

type Answers = { ids: number[]; total: number }[];

async function answers(ask: (path: string) => Promise<Response>, asked = ASKED): Promise<Answers> {
  const all: Answers = [];
  for (const path of asked) {
    const { posts, pagination } = await (await ask(path)).json();
    all.push({ ids: posts.map(({ id }: { id: number }) => id), total: pagination.total });
  }
  return all;
}

/** What the API answers now. */
const shown = ({ fetch, key }: TestPlaten) =>
  answers((path) => fetch(`/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } }));

/** What it would answer had it been started this moment. Asked the other way round: "yak" before the lists it is in are kept. */
async function shownAnew({ platen, key }: TestPlaten): Promise<Answers> {
  const fresh = { ...platen, db: openDatabase(platen.config.data) };
  const app = platenApp(fresh);
  const headers = { authorization: `Bearer ${key}` };
  const ask = (path: string) => app.handle(new Request(`http://blog.test/api/v1${path}`, { headers }));
  const all = await answers(ask, ASKED.toReversed());
  fresh.db.$client.close(false);
  return all.reverse();
}

const sql = (statement: string) => (at: TestPlaten) => void at.platen.db.$client.run(statement);
const patch =
  (id: number, post: object) =>
  ({ api }: TestPlaten) =>
    api("PATCH", `/posts/${id}`, { post });

const CHANGES: [string, (at: TestPlaten) => unknown][] = [
  ["a post is made", ({ api }) => api("POST", "/posts", { post: { title: "elk yak", status: "published" } })],
  ["a draft is published", ({ api }) => api("PATCH", "/posts/2/publish")],
  ["one is taken offline", ({ api }) => api("PATCH", "/posts/1/unpublish")],
  ["one is deleted", ({ api }) => api("DELETE", "/posts/1")],
  ["one is called something else", patch(1, { title: "zebra" })],
  ["one says the word no more", patch(1, { content: "<p>Nothing.</p>" })],
  ["one comes to say the word", patch(5, { content: "<p>Elk and yak.</p>" })],
  [
    "twenty come to say the word, and ten say it no more",
    async (at) => {
      for (let id = 300; id < 330; id++)
        await patch(id, { content: id < 320 ? "<p>Elk.</p>" : "<p>Ox.</p>" })(at);
    },
  ],
  ["one comes to say the word in a long text", patch(5, { content: `<p>${"ox ".repeat(120_000)} elk</p>` })],
  ["a word that none had is written", patch(1, { content: "<p>Elk, tapir.</p>" })],
  ["one moves to another time", patch(1, { published_at: "2024-05-05T00:00:00Z" })],
  ["a scheduled post comes due", ({ pass }) => pass(2 * HOUR)],
  [
    "one comes due, and another is written",
    async (at) => {
      at.pass(2 * HOUR);
      await patch(1, { title: "a" })(at);
    },
  ],
  ["the clock is set back", ({ pass }) => pass(-300 * DAY)],
  ["rows of posts are written", sql("UPDATE posts SET title = 'a' || id WHERE id % 100 = 0")],
  ["more rows are written than are looked at one by one", sql("UPDATE posts SET title = 'q' || id")],
  ["rows of posts go", sql("DELETE FROM posts WHERE id IN (1, 4, 7)")],
  ["another program writes", (at) => writeElsewhere(at, "UPDATE posts SET deleted_at = 1 WHERE id % 7 = 0")],
];

async function writeElsewhere({ platen }: TestPlaten, statement: string): Promise<void> {
  const other = openDatabase(platen.config.data);
  other.$client.run(statement);
  other.$client.close(false);
  // It is seen from the next turn of the event loop on.
  await new Promise(setImmediate);
}

test.each(CHANGES)(
  "what is found, in which order and how many, is as it is once something changes: %s",
  async (_what, change) => {
    const at = startPlaten();
    fill(at);
    const before = await shown(at);
    expect(before[0]?.total).toBeGreaterThan(ELKS - 5);
    expect(before).toEqual(await shownAnew(at));
    expect(await shown(at)).toEqual(before);
    await change(at);
    const after = await shown(at);
    expect(after).not.toEqual(before);
    expect(after).toEqual(await shownAnew(at));
  },
);

test("a post that was scheduled since somebody asked is found once its time comes, though nothing is written then", async () => {
  const at = startPlaten();
  fill(at);
  await shown(at);
  const soon = new Date(START.getTime() + HOUR / 2).toISOString();
  await patch(2, { status: "published", published_at: soon })(at);
  const before = await shown(at);
  at.pass(HOUR / 2);
  const after = await shown(at);
  expect(after).not.toEqual(before);
  expect(after).toEqual(await shownAnew(at));
});

test("lists are answered however many posts were written since somebody asked last", async () => {
  const at = startPlaten();
  fill(at);
  await shown(at);
  // Noted as triggers do: to write a million posts would take minutes.
  at.platen.db.$client.run(`WITH RECURSIVE ids (id) AS (SELECT 10000 UNION ALL SELECT id + 1 FROM ids LIMIT 1000000)
    INSERT INTO changed_posts SELECT id FROM ids`);
  await patch(1, { title: "zebra" })(at);
  expect(await shown(at)).toEqual(await shownAnew(at));
});

test("a post that is hidden leaves the search of readers, and comes back to it", async () => {
  const at = startPlaten();
  fill(at);
  await at.api("PATCH", "/posts/1", { post: { title: "Seldom seen", published_at: "2026-03-01T00:00:00Z" } });
  const isFound = async () => (await (await at.fetch("/search?q=elk")).text()).includes("Seldom seen");
  expect(await isFound()).toBe(true);
  for (const hidden of [true, false]) {
    await at.api("PATCH", "/posts/1", { post: { meta: { hidden } } });
    expect(await isFound()).toBe(!hidden);
  }
});

test("a word found in a post after the search could not take it in is found by whoever searches next", async () => {
  const at = startPlaten();
  fill(at);
  const total = async () => (await at.api("GET", "/posts?search=elk&status=all")).body.pagination.total;
  const before = await total();
  const other = openDatabase(at.platen.config.data);
  await at.api("PATCH", "/posts/5", { post: { content: "<p>Elk.</p>" } });
  other.$client.run("BEGIN IMMEDIATE");
  expect(await total()).toBe(before);
  other.$client.run("ROLLBACK");
  other.$client.close(false);
  indexWaiting(at.platen);
  expect(await total()).toBe(before + 1);
});

test("what a transaction finds and takes back is never answered", async () => {
  const at = startPlaten();
  fill(at);
  const before = await shown(at);
  const { platen, blog } = at;
  const filters = { status: "all", sort: "title", descending: false } as const;
  const words = await wordsSought(platen, "elk");
  const undone = () =>
    inTransaction(platen, () => {
      platen.db.$client.run("UPDATE posts SET title = 'aa', deleted_at = NULL WHERE id % 3 = 1");
      platen.db.$client.run("DELETE FROM posts WHERE id = 1");
      expect(listedIds(platen, blog, filters, 20, words).ids).not.toContain(1);
      throw new Error("undone");
    });
  expect(undone).toThrow("undone");
  expect(await shown(at)).toEqual(before);
});

test.each([
  "search=elk&limit=50",
  "search=elk&limit=50&sort=title",
  "search=elk&limit=50&status=all&sort=-published_at",
  "search=yak&limit=5",
])("whoever follows the cursors of ?%s while posts change meets every other post once", async (query) => {
  const at = startPlaten();
  fill(at);
  const whole = async () => {
    const ids: number[] = [];
    for (let cursor = ""; cursor !== "&cursor=null"; ) {
      const { body } = await at.api("GET", `/posts?${query}${cursor}`);
      ids.push(...body.posts.map(({ id }: { id: number }) => id));
      cursor = `&cursor=${body.pagination.next}`;
      // The post that the cursor names is written, or goes.
      const last = body.posts.at(-1)?.id;
      if (ids.length % 100 === 0) await at.api("DELETE", `/posts/${last}`);
      else if (last > 3) at.platen.db.$client.run("UPDATE posts SET hidden = 1 WHERE id = ?", [last]);
    }
    return ids;
  };
  const { body } = await at.api("GET", `/posts?${query}`);
  const ids = await whole();
  expect(ids.length).toBe(body.pagination.total);
  expect(new Set(ids).size).toBe(ids.length);
});

/** So many that a list of them takes several turns to be read. */
const MANY = 25_000;
const IN_THE_MIDDLE = "/posts?sort=title&page=600";

/** As posts 10,001 to 35,000, each called by its number. */
function fillWithMany({ platen, blog }: TestPlaten): void {
  platen.db.$client.run(
    `WITH RECURSIVE ids (id) AS (SELECT 10001 UNION ALL SELECT id + 1 FROM ids LIMIT ${MANY})
     INSERT INTO posts (id, blog_id, status, type, title, slug, published_at, created_at, updated_at, is_announced)
     SELECT id, ?1, 'published', 'post', 'p' || id, 'post-' || id, ?2 + id, ?2, ?2, 1 FROM ids`,
    [blog.id, START.getTime() - DAY],
  );
}

test("a long list is read in turns, others in between", async () => {
  const at = startPlaten();
  fillWithMany(at);
  const read = await whileOthersTakeTurns(() => at.api("GET", IN_THE_MIDDLE));
  const kept = await whileOthersTakeTurns(() => at.api("GET", "/posts?sort=title&page=601"));
  expect(read.answer.body.posts).toHaveLength(20);
  expect(read.turns).toBeGreaterThan(kept.turns + 1);
});

test.each([
  ["a post that was read comes to a later place", "UPDATE posts SET title = 'p20500b' WHERE id = 10500"],
  ["one that was not read yet comes to an earlier place", "UPDATE posts SET title = 'p1' WHERE id = 34500"],
  ["one that was read goes", "DELETE FROM posts WHERE id = 10500"],
  ["one comes before all that were read", "UPDATE posts SET title = '' WHERE id BETWEEN 34500 AND 34510"],
  ["nearly all go elsewhere", "UPDATE posts SET title = 'q' || title WHERE id > 10002"],
])("a list that is read in turns is what it is at its end: %s", async (_what, statement) => {
  const at = startPlaten();
  fillWithMany(at);
  const list = at.api("GET", IN_THE_MIDDLE);
  await new Promise(setImmediate);
  at.platen.db.$client.run(statement);
  const [{ body: kept }, { body: first }] = [await list, await at.api("GET", "/posts?sort=title&page=601")];
  const fresh = { ...at.platen, db: openDatabase(at.platen.config.data) };
  const ask = async (path: string) => {
    const headers = { authorization: `Bearer ${at.key}` };
    const answer = await platenApp(fresh).handle(new Request(`http://blog.test/api/v1${path}`, { headers }));
    return await answer.json();
  };
  expect(kept).toEqual(await ask(IN_THE_MIDDLE));
  expect(first).toEqual(await ask("/posts?sort=title&page=601"));
  fresh.db.$client.close(false);
});
