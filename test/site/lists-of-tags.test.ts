import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { postTags } from "../../src/database/schema";
import { periodicTasks } from "../../src/upkeep/background-tasks";
import { hasWrongTags } from "../../src/upkeep/check/database-check";
import { type Owned, startOwned } from "../admin/owner";
import { dice } from "../support/dice";
import { DAY, HOUR, START } from "../support/platen";
import { page, post } from "./posting";

const ON_A_PAGE = 20;
const STEPS = 240;

const statements = new Set<string>();
const { prepare, query } = Database.prototype;
// biome-ignore lint/suspicious/noExplicitAny: stands in for any statement
const recordStatements = (original: any) =>
  function (this: Database, sql: string, ...rest: unknown[]) {
    statements.add(sql);
    return original.call(this, sql, ...rest);
  };
Database.prototype.query = recordStatements(query);
afterAll(() => Object.assign(Database.prototype, { query }));

const namesOn = (shown: string, pattern: RegExp) => [...shown.matchAll(pattern)].map(([, name]) => name);
const linksOn = (shown: string) => namesOn(shown, /<h2 class="p-name"><a[^>]*>([^<]+)/g);
const rowsOn = (shown: string) => namesOn(shown, /<a class="name"[^>]*>([^<]*)</g);

async function allPages(read: (page: number) => Promise<(string | undefined)[]>) {
  const found: (string | undefined)[] = [];
  for (let number = 1; ; number++) {
    const names = await read(number);
    found.push(...names);
    if (names.length === 0) return found;
  }
}

interface TaggedPost {
  title: string;
  status: string;
  type: string;
  hidden: number;
  at: number;
}

/** Posts with the tag by their rows, newest first. */
function postsWithTag({ platen }: Owned, name: string) {
  return platen.db.$client
    .query<TaggedPost, [string]>(
      `SELECT title, posts.status, posts.type, posts.hidden, coalesce(published_at, created_at) AS at
       FROM posts JOIN post_tags ON post_id = posts.id JOIN tags ON tags.id = tag_id
       WHERE name = ? AND deleted_at IS NULL ORDER BY at DESC, posts.id DESC`,
    )
    .all(name);
}

test("lists of a tag are correct after every kind of change", async () => {
  const owned = await startOwned();
  const { below, pick } = dice(7);
  let { browser } = owned;
  let now = START.getTime();
  const trashed: number[] = [];
  const time = () => new Date(now + (below(900) - 800) * HOUR).toISOString();
  for (let number = 0; number < 70; number++)
    await post(owned, {
      title: `Post ${number}`,
      tags: pick([["Tea"], ["Tea", "Cups"]]),
      published_at: time(),
    });
  const change = (fields: object) => async (id: number) =>
    void (await owned.api("PATCH", `/posts/${id}`, { post: fields }));
  const changes: ((id: number) => Promise<unknown>)[] = [
    change({ status: "draft" }),
    change({ status: "draft", published_at: null }),
    change({ status: "archived" }),
    ...[1, 2, 3].map(() => change({ status: "published" })),
    change({ meta: { hidden: true } }),
    change({ meta: { hidden: false } }),
    change({ type: "page" }),
    change({ type: "post" }),
    change({ tags: ["Cups", "Tea"] }),
    change({ tags: ["Pots"] }),
    (id) => change({ published_at: time() })(id),
    async (id) => {
      if ((await owned.api("DELETE", `/posts/${id}`)).status < 300) trashed.push(id);
    },
    async () => {
      for (const id of trashed.splice(0, 2))
        await browser.post("/admin/blogs/ada/posts/trash", { id: String(id) });
    },
    async () => {
      owned.pass(HOUR);
      now += HOUR;
    },
  ];
  const compare = async (name: string) => {
    const all = postsWithTag(owned, name);
    const live = all.filter(
      ({ status, type, hidden, at }) => status === "published" && type === "post" && !hidden && at <= now,
    );
    const slug = name.toLowerCase();
    const shown = allPages(async (number) => linksOn(await page(owned, `/tag/${slug}?page=${number}`)));
    expect(await shown).toEqual(live.map(({ title }) => title));
    for (const [status, is] of [
      ["all", () => true],
      ["draft", ({ status }: TaggedPost) => status === "draft"],
      ["published", (one: TaggedPost) => one.status === "published" && one.at <= now],
    ] as const) {
      const list = `/admin/blogs/ada/posts?tag=${slug}&status=${status}`;
      const of = all.filter((one) => one.type === "post" && is(one)).map(({ title }) => title);
      const listed = (sort: string) =>
        allPages(async (number) =>
          rowsOn(await (await browser.get(`${list}&sort=${sort}&page=${number}`)).text()),
        );
      if (status === "published") expect([status, await listed("-published_at")]).toEqual([status, of]);
      expect([status, await listed("title")]).toEqual([
        status,
        of.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
      ]);
    }
    const topics = await (await browser.get("/admin/blogs/ada/topics?kind=tag")).text();
    const counted = new RegExp(`${name}</bdi>.*?<span>(\\d+) posts?</span>`, "s").exec(topics)?.[1];
    expect([name, Number(counted)]).toEqual([name, all.length]);
    expect(hasWrongTags(owned.platen)).toBe(false);
  };
  for (let step = 1; step <= STEPS; step++) {
    await pick(changes)(1 + below(70));
    if (step % 60 === 0) await compare("Tea");
  }
  await compare("Cups");
  const cups = postsWithTag(owned, "Cups").length;
  const { id } = owned.platen.db.$client.query("SELECT id FROM tags WHERE name = 'Pots'").get() as {
    id: number;
  };
  await browser.post(`/admin/blogs/ada/topics/tag/${id}`, { do: "merge", into: "Cups" });
  expect(postsWithTag(owned, "Cups").length).toBeGreaterThan(cups);
  await compare("Cups");
  owned.pass(40 * DAY);
  now += 40 * DAY;
  browser = await owned.browserOf(owned.account);
  for (let time = 0; time < 3; time++) periodicTasks(owned.platen).step();
  await compare("Tea");
});

test("a page far down a tag's list reads only the index and its own posts", async () => {
  const owned = await startOwned();
  await post(owned, { title: "First", tags: ["tea"] });
  const { $client } = owned.platen.db;
  $client.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
     INSERT INTO posts (blog_id, type, status, title, slug, excerpt, published_at, created_at, updated_at)
     SELECT 1, 'post', 'published', 'Post ' || i, 'p' || i, '', i, i, 1 FROM n`,
  );
  owned.platen.db.delete(postTags).run();
  $client.run("INSERT INTO post_tags SELECT id, 1, 0, status, type, hidden, published_at FROM posts");
  statements.clear();
  for (const number of [70, 150])
    expect(linksOn(await page(owned, `/tag/tea?page=${number}`))).toHaveLength(ON_A_PAGE);
  const lists = [...statements].filter((sql) => /post_tags/.test(sql) && /limit|count/i.test(sql));
  expect(lists).not.toEqual([]);
  for (const sql of lists) {
    const plan = prepare.call($client, `EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
    const steps = plan
      .map(({ detail }) => detail)
      .filter((detail) => /^(?:SEARCH|SCAN (?!CONSTANT|\(subquery)|USE TEMP)/.test(detail));
    expect([sql, steps.filter((step) => !step.includes("COVERING INDEX post_tags_of_list"))]).toEqual([
      sql,
      [],
    ]);
  }
});
