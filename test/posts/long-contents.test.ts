import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { contents, idempotentAnswers, longContents, longPieces, revisions } from "../../src/database/schema";
import { nextTurn } from "../../src/next-turn";
import { isSweepingLongContents } from "../../src/posts/parts/long-contents";
import { periodicTasks } from "../../src/upkeep/periodic-tasks";
import { type Owned, startOwned } from "../admin/owner";
import { all, one, textOf, xml } from "../site/xml";
import { notedStatements } from "../support/noted-statements";
import { databaseOf } from "../support/other-program";
import { HOUR, type TestPlaten } from "../support/platen";
import { freshFolder, runPlaten, startServer } from "../support/program";
import { whileOthersTakeTurns } from "../support/turns";

const asked = notedStatements();

/** Letters of two units each, so that a piece would end within one, and words to be found by. */
const LONG = `x${"𐎀".repeat(110_000)}\n\n${"🍵 A goat looked at the 🫖.\n\n".repeat(2000)}The quay.`;
const OTHER = LONG.replace("The quay", "The harbour");
/** In bytes: what one turn writes. */
const MOST_IN_A_ROW = 800_000;

const post = async (at: TestPlaten, fields: object) =>
  (await at.api("POST", "/posts", { post: { title: "Tea", status: "published", ...fields } })).body.post;
const sourceOf = async (at: TestPlaten, id: number) =>
  (await at.api("GET", `/posts/${id}?include_source=true`)).body.post.content.source;
const found = async (at: TestPlaten, words: string) =>
  (await at.api("GET", `/posts?search=${words}`)).body.pagination.total;
const count = ({ platen }: TestPlaten, what: string) =>
  platen.db.$client.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${what}`).get()?.n ?? 0;
const revisionsOf = ({ platen }: TestPlaten) => platen.db.select().from(revisions).all();

/** All that is to be removed is. */
async function sweep(at: TestPlaten, after = 2 * HOUR) {
  at.pass(after);
  periodicTasks(at.platen).step();
  await swept(at);
}

/** What is begun to be removed. */
async function swept({ platen, pass }: TestPlaten) {
  const tasks = periodicTasks(platen);
  while (isSweepingLongContents(platen)) {
    tasks.look();
    pass(1000);
    await Bun.sleep(1);
  }
}

/** As it was kept before long ones were kept apart. */
function keptAsBefore({ platen: { db } }: TestPlaten) {
  db.$client.run(
    `REPLACE INTO contents SELECT post_id, source_type, html, text, source, NULL FROM whole_contents`,
  );
  db.update(revisions).set({ longId: null }).run();
}

test("a long post says everywhere what was sent, is changed, found, and brought back as it was", async () => {
  const at = await startOwned();
  const made = await post(at, { content: LONG, content_type: "markdown" });
  const { id } = made;
  expect(await sourceOf(at, id)).toBe(LONG);
  const { content } = (await at.api("GET", `/posts/${id}`)).body.post;
  expect(content).toEqual(made.content);
  const [listed] = (await at.api("GET", "/posts?include_content=true&include_source=true")).body.posts;
  expect(listed.content).toEqual({ ...content, source: LONG, source_type: "markdown" });
  expect(await (await at.fetch("/tea")).text()).toContain(content.html);
  expect((await (await at.fetch("/feed.json")).json()).items[0].content_html).toContain("The quay.");
  expect(count(at, "long_pieces")).toBeGreaterThan(3);

  const changed = await at.api("PATCH", `/posts/${id}`, {
    post: { content: OTHER, content_type: "markdown" },
  });
  expect(changed.body.post.content.text).toEndWith("The harbour.");
  expect([await found(at, "harbour"), await found(at, "quay")]).toEqual([1, 0]);
  const renamed = await at.api("PATCH", `/posts/${id}`, { post: { title: "Coffee" } });
  expect(renamed.body.post.content).toEqual(changed.body.post.content);
  expect(await sourceOf(at, id)).toBe(OTHER);
  expect((await at.api("PATCH", `/posts/${id}/unpublish`)).body.post.content).toEqual(
    changed.body.post.content,
  );

  await sweep(at);
  await restore(at, id, revisionsOf(at)[0]?.id as number);
  expect(await sourceOf(at, id)).toBe(LONG);
  await at.api("PATCH", `/posts/${id}`, { post: { content: "<p>Short.</p>" } });
  await sweep(at);
  expect(await sourceOf(at, id)).toBe("<p>Short.</p>");
  await restore(at, id, revisionsOf(at).at(-1)?.id as number);
  expect((await at.api("GET", `/posts/${id}`)).body.post.content).toEqual(content);
});

async function restore(at: Owned, id: number, revision: number): Promise<void> {
  const path = `/admin/blogs/ada/posts/${id}/revisions`;
  expect((await at.browser.post(path, { revision: String(revision) })).status).toBe(303);
}

test("what a long post says is written in pieces of which none is long, and saving it writes none of them again", async () => {
  const at = await startOwned();
  const { id } = await post(at, { content: LONG });
  await at.api("PATCH", `/posts/${id}`, { post: { content: OTHER } });
  const lengths = [
    ...at.platen.db.select().from(longPieces).all(),
    ...at.platen.db.select().from(contents).all(),
    ...revisionsOf(at),
  ].map((row) => Buffer.byteLength(JSON.stringify(row)));
  expect(Math.max(...lengths)).toBeLessThan(MOST_IN_A_ROW);
  expect(count(at, "long_contents")).toBe(2);
  await at.api("PATCH", `/posts/${id}`, { post: { content: OTHER, title: "Other" } });
  expect(count(at, "long_contents")).toBe(2);
});

test("what a refused save has written is removed, and of what posts said before all but its source", async () => {
  const at = await startOwned();
  const refused = await at.api("POST", "/posts", { post: { content: `<p>${"\u200b".repeat(400_000)}</p>` } });
  expect([refused.status, count(at, "long_contents")]).toEqual([422, 1]);
  await swept(at);
  expect([count(at, "long_contents"), count(at, "long_pieces")]).toEqual([0, 0]);

  const { id } = await post(at, { content: LONG, content_type: "markdown" });
  await at.api("PATCH", `/posts/${id}`, { post: { content: OTHER, content_type: "markdown" } });
  await sweep(at);
  const parts = at.platen.db.$client.query("SELECT DISTINCT content_id, part FROM long_pieces ORDER BY 1, 2");
  const [before, now] = at.platen.db.select().from(longContents).all();
  expect(parts.all()).toEqual([
    { content_id: before?.id, part: "source" },
    ...["html", "source", "text"].map((part) => ({ content_id: now?.id, part })),
  ]);
  await at.api("DELETE", `/posts/${id}`);
  at.pass(40 * 24 * HOUR);
  await sweep(at);
  while (count(at, "posts") > 0) await Bun.sleep(1);
  await sweep(at);
  expect([count(at, "posts"), count(at, "long_contents"), count(at, "long_pieces")]).toEqual([0, 0, 0]);
});

test("what is left over goes within one look, in turns, however many pieces it is", async () => {
  const at = await startOwned();
  await at.api("POST", "/posts", { post: { content: `<p>${"\u200b".repeat(1_500_000)}</p>` } });
  expect(count(at, "long_pieces")).toBeGreaterThan(10);
  periodicTasks(at.platen).look();
  expect(count(at, "long_pieces")).toBeGreaterThan(0);
  while (count(at, "long_pieces") > 0) await Bun.sleep(1);
});

test("what a save replaces is removed minutes later, however often it is replaced, and only what nobody reads", async () => {
  const at = await startOwned();
  const { id } = await post(at, { content: LONG });
  for (const end of ["a", "b", "c"])
    await at.api("PATCH", `/posts/${id}`, { post: { content: `${LONG}${end}` } });
  await swept(at);
  expect(count(at, "long_contents")).toBe(4);
  expect(count(at, "(SELECT DISTINCT content_id FROM long_pieces WHERE part = 'text')")).toBe(1);
  expect(await sourceOf(at, id)).toEndWith("c");
});

test("an answer of megabytes is kept for a repeat without being written again, and told as it was, whatever the post says now", async () => {
  const at = await startOwned();
  const send = async (method: string, path: string, fields: object, key: string) => {
    const headers = { authorization: `Bearer ${at.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ post: fields });
    const init = { method, body, headers: { ...headers, "idempotency-key": key } };
    const answer = await at.fetch(`/api/v1/posts${path}`, init);
    return { status: answer.status, etag: answer.headers.get("etag"), text: await answer.text() };
  };
  const draft = { title: "Tea", content: LONG, content_type: "markdown", strange: 1 };
  const first = await send("POST", "", draft, "made");
  const { post: made, warnings } = JSON.parse(first.text);
  expect([first.status, warnings.length]).toEqual([201, 1]);
  expect(made.content).toEqual((await at.api("GET", `/posts/${made.id}`)).body.post.content);
  const renamed = await send("PATCH", `/${made.id}`, { title: "Coffee" }, "renamed");
  const kept = at.platen.db.select().from(idempotentAnswers).all();
  expect(kept.map(({ body }) => body.length < 2000)).toEqual([true, true]);
  expect(count(at, "long_contents")).toBe(1);

  await at.api("PATCH", `/posts/${made.id}`, { post: { content: "<p>Short.</p>" } });
  await sweep(at, 3 * HOUR);
  const again = await send("POST", "", draft, "made");
  expect(again.text === first.text && again.etag === first.etag && again.status === 201).toBe(true);
  const renamedAgain = await send("PATCH", `/${made.id}`, { title: "Coffee" }, "renamed");
  expect(renamedAgain.text === renamed.text).toBe(true);
  expect((await send("POST", "", { ...draft, title: "Milk" }, "made")).status).toBe(422);

  await sweep(at, 25 * HOUR);
  expect(count(at, "long_pieces WHERE part <> 'source'")).toBe(0);
});

/** Read, or made a page of, in ten turns at least. */
const VERY_LONG = "<p>A goat looked at the tea.</p>\n".repeat(80_000);

test("a long post is read and shown in turns, by whatever door, and changed without being read in one go", async () => {
  const at = await startOwned();
  const { id } = await post(at, { content: VERY_LONG });
  asked.length = 0;
  const turnsOf = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${at.key}`, "content-type": "application/json" };
    const ask = async () => (await at.fetch(path, { ...init, headers })).status;
    const { turns, answer } = await whileOthersTakeTurns(ask);
    expect(answer).toBe(200);
    return turns;
  };
  const change = (fields: object) => ({ method: "PATCH", body: JSON.stringify({ post: fields }) });
  const url = encodeURIComponent(`${at.platen.config.url}/tea`);
  const shared = await at.api("PATCH", `/posts/${id}`, { post: { meta: { is_shared: true } } });
  for (const [path, init] of [
    ["/tea"],
    [`/share/${shared.body.post.meta.share_id}`],
    ["/feed.xml"],
    ["/feed.atom"],
    ["/feed.json"],
    [`/api/v1/posts/${id}`],
    ["/api/v1/posts?include_content=true"],
    [`/micropub?q=source&url=${url}`],
    ["/micropub?q=source"],
    [`/api/v1/posts/${id}`, change({ title: "Coffee" })],
    [`/api/v1/posts/${id}`, change({ tags: ["herd"] })],
    [`/api/v1/posts/${id}/unpublish`, { method: "PATCH" }],
  ] as [string, RequestInit?][])
    expect([path, (await turnsOf(path, init)) > 8]).toEqual([path, true]);
  expect(asked.filter((sql) => /whole_contents|long_pieces WHERE content_id = \? ORDER/.test(sql))).toEqual(
    [],
  );
});

test("what another process removes while it is being read is not told in part", async () => {
  const at = await startOwned();
  const { id, content } = await post(at, { content: VERY_LONG });
  const other = databaseOf(at.platen.config.data);
  other.run("CREATE TABLE kept AS SELECT * FROM long_pieces");
  const told: number[] = [];
  for (let turns = 0; turns < 12; turns++) {
    const asking = at.api("GET", `/posts/${id}?include_source=true&turn=${turns}`);
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    other.run("DELETE FROM long_pieces");
    const { status, body } = await asking;
    told.push(status);
    if (status === 200) expect(body.post.content.html.length).toBe(content.html.length);
    else expect(body.message).toBe("This was changed while it was being read. Ask once more.");
    other.run("INSERT INTO long_pieces SELECT * FROM kept");
  }
  other.close();
  expect(told.filter((status) => status === 503).length).toBeGreaterThan(3);
});

test("a feed says of each post the same in every format, of a long one among others too", async () => {
  const at = await startOwned();
  const long = '<p>"Tea" &amp; a <a href="/cup">cup</a> \uFFFE🫖</p>\n'.repeat(20_000);
  for (const [number, content] of ["<p>Before &lt;it&gt;.</p>", long, "<p>After.</p>", ""].entries()) {
    await post(at, { title: `Cup ${number}`, content });
    at.pass(1000);
  }
  const asked = await Promise.all(
    ["xml", "atom", "json"].map(async (kind) => (await at.fetch(`/feed.${kind}`)).text()),
  );
  const [rss = "", atom = "", json = ""] = asked;
  const channel = one(xml(rss), "channel");
  const ofRss = all(channel, "item").map((item) => [textOf(item, "title"), textOf(item, "content:encoded")]);
  const ofAtom = all(xml(atom), "entry").map((entry) => [textOf(entry, "title"), textOf(entry, "content")]);
  const { items } = JSON.parse(json) as { items: { title: string; content_html: string }[] };
  const ofJson = items.map(({ title, content_html }) => [title, content_html.replaceAll("\uFFFE", "")]);
  const absolute = `${at.platen.config.url}/cup`;
  const said = ["", "<p>After.</p>", long.replaceAll('"/cup"', `"${absolute}"`), "<p>Before &lt;it&gt;.</p>"];
  const expected = said.map((content, number) => [`Cup ${3 - number}`, content.replaceAll("\uFFFE", "")]);
  for (const told of [ofRss, ofAtom, ofJson]) expect(told).toEqual(expected);
});

test("a long page is packed for whoever takes it so, once for all who ask at the same time and after", async () => {
  const at = await startOwned();
  await post(at, { content: VERY_LONG });
  const page = await (await at.fetch("/tea")).text();
  const unpack = { gzip: Bun.gunzipSync, zstd: Bun.zstdDecompressSync, br: brotliDecompressSync };
  for (const [encoding, unpacked] of Object.entries(unpack)) {
    const ask = () => at.fetch("/tea", { headers: { "accept-encoding": encoding } });
    const answers = [...(await Promise.all([ask(), ask()])), await ask()];
    const etags = new Set(answers.map(({ headers }) => headers.get("etag")));
    expect([etags.size, [...etags][0]]).toEqual([1, expect.stringContaining(`-${encoding}"`)]);
    for (const answer of answers) {
      expect(answer.headers.get("content-encoding")).toBe(encoding);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      expect(new TextDecoder().decode(unpacked(bytes)) === page).toBe(true);
    }
  }
});

test("what is being written for a save, or was an hour ago, is not taken for left over", async () => {
  const at = await startOwned();
  const saving = post(at, { content: LONG });
  while (count(at, "long_pieces") === 0) await nextTurn();
  const tasks = periodicTasks(at.platen);
  for (let step = 0; step < 5; step++) tasks.step();
  expect(count(at, "posts")).toBe(0);
  const { id } = await saving;
  await sweep(at);
  expect(await sourceOf(at, id)).toBe((await at.api("GET", `/posts/${id}`)).body.post.content.html);
});

test("a long post from before, and a version of it, are changed and brought back", async () => {
  const at = await startOwned();
  const { id } = await post(at, { content: LONG, content_type: "markdown" });
  keptAsBefore(at);
  expect(await sourceOf(at, id)).toBe(LONG);
  expect((await at.api("PATCH", `/posts/${id}`, { post: { content: OTHER } })).status).toBe(200);
  expect(revisionsOf(at)[0]?.fields.source).toBe(LONG);
  await restore(at, id, revisionsOf(at)[0]?.id as number);
  expect(await sourceOf(at, id)).toBe(LONG);
});

test("an archive has a long post and what it said before, whole", async () => {
  const at = await startOwned();
  const { id } = await post(at, { content: LONG, content_type: "markdown" });
  await at.api("PATCH", `/posts/${id}`, { post: { content: OTHER, content_type: "markdown" } });
  const [archive, unpacked] = [`${freshFolder()}.zip`, freshFolder()];
  const data = at.platen.config.data;
  const { code } = await runPlaten(["export", "platen", archive, "--blog", "ada", "--data", data]);
  expect(code).toBe(0);
  Bun.spawnSync(["python3", "-m", "zipfile", "-e", archive, unpacked]);
  const [line] = readFileSync(join(unpacked, "posts.jsonl"), "utf8").split("\n") as [string];
  expect(JSON.parse(line)).toMatchObject({ content: OTHER });
  const [kept] = readFileSync(join(unpacked, "revisions.jsonl"), "utf8").split("\n") as [string];
  expect(kept).toContain(JSON.stringify(LONG).slice(1, -1));
});

test("killed between writing a long text and saving its post, the server leaves no post, and all others whole", async () => {
  const data = freshFolder();
  const setup = await runPlaten(["setup", "--email", "ada@example.com", "--title", "Ada", "--data", data]);
  const headers = { authorization: `Bearer ${setup.stdout.trim()}`, "content-type": "application/json" };
  const server = await startServer({ data });
  const send = (title: string, content: string) =>
    fetch(`${server.url}/api/v1/posts`, {
      method: "POST",
      headers,
      body: JSON.stringify({ post: { title, content } }),
    });
  const { post: first } = await (await send("First", LONG)).json();
  {
    // The save of the second does not come to its end: whenever the server is killed, it is in between.
    using held = databaseOf(data);
    held.run(`CREATE TRIGGER held BEFORE INSERT ON posts WHEN new.title = 'Second' BEGIN
      SELECT (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n); END`);
  }
  const seen = new Database(join(data, "platen.db"), { readonly: true });
  const pieces = () => (seen.query("SELECT count(*) AS n FROM long_pieces").get() as { n: number }).n;
  const before = pieces();
  const second = send("Second", LONG.repeat(8)).catch(() => "nothing");
  while (pieces() === before) await nextTurn();
  await server.kill();
  expect(await second).toBe("nothing");
  seen.close();

  expect((await runPlaten(["check", "--data", data])).code).toBe(0);
  await using again = await startServer({ data });
  const listed = await (
    await fetch(`${again.url}/api/v1/posts?status=all&include_content=true`, { headers })
  ).json();
  expect(listed.posts.map(({ title }: { title: string }) => title)).toEqual(["First"]);
  expect(listed.posts[0].content).toEqual(first.content);
});
