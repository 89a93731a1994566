import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { writtenPosts } from "../../src/api/json/written-posts";
import { platenApp } from "../../src/app";
import { moveBlog } from "../../src/blogs/blog-address";
import { configureBlog } from "../../src/blogs/blog-settings";
import { openDatabase } from "../../src/database/open";
import { inTransaction } from "../../src/database/transactions";
import { deleteTopic, mergeTopics, renameTopic } from "../../src/posts/topics/topic-changes";
import { type Topic, type TopicKind, topicNamed } from "../../src/posts/topics/topic-names";
import { fileNamed, MEDIA, upload } from "../admin/media/files";
import { type Owned, startOwned } from "../admin/owner";
import { notedStatements } from "../support/noted-statements";
import { picture } from "../support/pictures";
import { startPlaten } from "../support/platen";

const ran = notedStatements();

const READS = [
  "/posts?status=all",
  "/posts?status=all&include_content=true",
  "/posts?status=all&include_content=true&include_source=true",
  "/posts/1",
  "/posts/2?include_source=true",
  "/posts?status=all&blog_id=2",
];

/** Two posts with all that can belong to one, both read before. */
async function startRead(): Promise<Owned> {
  const at = await startOwned();
  const snippet = await upload(at, "rain.jpg");
  const other = await upload(at, "snow.jpg");
  for (const title of ["Tea", "Milk"])
    await at.api("POST", "/posts", {
      post: {
        title,
        content: `<p>About ${title}.</p>${snippet}${other}`,
        status: "published",
        category: "Drinks",
        tags: ["hot", "old"],
      },
    });
  await at.api("POST", "/posts", { post: { title: "None", tags: ["cold"], category: "Other" } });
  const second = at.newBlog({ title: "Second" });
  await at.api("POST", "/posts", { blog_id: second.id, post: { title: "There" } });
  await shown(at);
  return at;
}

/** What the API answers now. */
const shown = (at: Owned) => Promise.all(READS.map(async (path) => (await at.api("GET", path)).body));

/** What it would answer had it been started this moment. */
async function shownAnew({ platen, key }: Owned) {
  const fresh = { ...platen, db: openDatabase(platen.config.data) };
  const app = platenApp(fresh);
  const headers = { authorization: `Bearer ${key}` };
  const answers = READS.map(async (path) =>
    (await app.handle(new Request(`http://blog.test/api/v1${path}`, { headers }))).json(),
  );
  const all = await Promise.all(answers);
  fresh.db.$client.close(false);
  return all;
}

const patch = (post: object) => (at: Owned) => at.api("PATCH", "/posts/1", { post });
const topic = ({ platen, blog }: Owned, kind: TopicKind, name: string) =>
  topicNamed(platen, kind, blog.id, name) as Topic;
const sql = (statement: string) => (at: Owned) => at.platen.db.$client.run(statement);

const COPIED =
  "(post_id, source_type, html, text, source) SELECT post_id, source_type, 'Other', text, source FROM contents WHERE post_id = 1";

const CHANGES: [string, (at: Owned) => unknown][] = [
  ["its title", patch({ title: "Coffee" })],
  ["its content", patch({ content: "<p>Nothing but this.</p>" })],
  ["its address", patch({ slug: "leaves" })],
  ["its tags", patch({ tags: ["old", "new"] })],
  ["its category", patch({ category: "Plants" })],
  ["its time", patch({ published_at: "2020-01-01T00:00:00Z" })],
  ["its flags", patch({ meta: { hidden: true, is_shared: true } })],
  ["an alt text", patch({ alt_text: { "rain.jpg": "Rain on a window" } })],
  ["the picture that stands for it", patch({ preview_image: "snow.jpg" })],
  ["it becomes a page", patch({ type: "page" })],
  ["it is taken offline", (at) => at.api("PATCH", "/posts/1/unpublish")],
  ["it is deleted", (at) => at.api("DELETE", "/posts/1")],
  ["a tag is renamed", (at) => renameTopic(at.platen, "tag", topic(at, "tag", "hot"), "steaming")],
  ["a tag is deleted", (at) => deleteTopic(at.platen, "tag", topic(at, "tag", "hot"))],
  [
    "two tags become one",
    (at) => mergeTopics(at.platen, "tag", topic(at, "tag", "hot"), topic(at, "tag", "cold")),
  ],
  [
    "a category is renamed",
    (at) => renameTopic(at.platen, "category", topic(at, "category", "Drinks"), "Beverages"),
  ],
  ["a category is deleted", (at) => deleteTopic(at.platen, "category", topic(at, "category", "Drinks"))],
  [
    "two categories become one",
    (at) =>
      mergeTopics(at.platen, "category", topic(at, "category", "Drinks"), topic(at, "category", "Other")),
  ],
  ["a category's row goes by itself", sql("DELETE FROM categories WHERE name = 'Drinks'")],
  ["the blog's title", (at) => configureBlog(at.platen, at.blog, { title: "Ada's Tea" })],
  ["the blog's address", (at) => moveBlog(at.platen, at.blog, { slug: "tea" })],
  ["the blog's domain", (at) => moveBlog(at.platen, at.blog, { domain: "tea.example" })],
  ["another blog is the first one", addFirstBlog],
  [
    "the first blog goes",
    sql("PRAGMA foreign_keys = OFF; DELETE FROM blogs WHERE id = 1; PRAGMA foreign_keys = ON"),
  ],
  ["a file is replaced", replaceRain],
  ["another program writes", (at) => writeElsewhere(at, "UPDATE posts SET title = 'Elsewhere' WHERE id = 1")],
  ["its tags, by rows alone", sql("UPDATE post_tags SET position = 5 - position WHERE post_id = 1")],
  ["its content, by its row alone", sql("UPDATE contents SET html = '<p>Other</p>' WHERE post_id = 1")],
  ["its content, by another row alone", sql(`INSERT OR REPLACE INTO contents ${COPIED}`)],
  [
    "one file more, by its row alone",
    sql("UPDATE attachments SET post_id = 3 WHERE post_id = 1 AND position = 0"),
  ],
  ["one tag less, by its row alone", sql("DELETE FROM post_tags WHERE post_id = 1 AND position = 0")],
  ["its files, by rows alone", sql("DELETE FROM attachments WHERE post_id = 1 AND position = 0")],
];

async function replaceRain(at: Owned): Promise<void> {
  const body = new FormData();
  body.append("sent", "by hand");
  body.append("file", new Blob([await picture(1200, 600)]), "rain.jpg");
  const path = `${MEDIA}/${fileNamed(at, "rain.jpg").id}/replace`;
  await at.browser.send(path, { method: "POST", headers: { origin: "http://blog.test" }, body });
}

function addFirstBlog({ platen: { db } }: Owned): void {
  const row = db.$client.query<Record<string, string>, []>("SELECT * FROM blogs WHERE id = 2").get();
  const first = { ...row, id: 0, slug: "first" };
  const names = Object.keys(first);
  db.$client
    .query(`INSERT INTO blogs (${names}) VALUES (${names.map((name) => `$${name}`)})`)
    .run(first as never);
}

async function writeElsewhere({ platen }: Owned, statement: string): Promise<void> {
  const other = openDatabase(platen.config.data);
  other.$client.run(statement);
  other.$client.close(false);
  // It is seen from the next turn of the event loop on.
  await new Promise(setImmediate);
}

test.each(CHANGES)(
  "posts that were read before are answered as they are once something changes: %s",
  async (_what, change) => {
    const at = await startRead();
    const before = await shown(at);
    expect(before).toEqual(await shownAnew(at));
    await change(at);
    const after = await shownAnew(at);
    expect(after).not.toEqual(before);
    expect(await shown(at)).toEqual(after);
  },
);

test("what a transaction reads and takes back is never answered", async () => {
  const at = await startRead();
  const before = await shown(at);
  const { platen, blog } = at;
  const undone = () =>
    inTransaction(platen, () => {
      platen.db.$client.run("UPDATE posts SET title = 'Never' WHERE id = 1");
      writtenPosts(platen, blog, [1], { withContent: true, withSource: false, mayBeLong: true });
      throw new Error("undone");
    });
  expect(undone).toThrow("undone");
  expect(await shown(at)).toEqual(before);
});

test("a post is shown alike by lists, by itself and by what wrote it, and under one entity tag", async () => {
  const at = await startRead();
  const written = await at.api("PATCH", "/posts/1", {
    post: { title: "“Tea”\u2028\u0007 \ud83c\udf75 <&>" },
  });
  const one = await at.api("GET", "/posts/1");
  const { body: list } = await at.api("GET", "/posts?include_content=true");
  const { content, ...head } = one.body.post;
  expect(JSON.stringify(one.body.post)).toBe(JSON.stringify(written.body.post));
  expect(JSON.stringify(list.posts.find(({ id }: { id: number }) => id === 1))).toBe(
    JSON.stringify(one.body.post),
  );
  const { body: heads } = await at.api("GET", "/posts");
  expect(heads.posts.find(({ id }: { id: number }) => id === 1)).toEqual(head);
  expect(one.headers.get("etag")).toBe(written.headers.get("etag"));
  const again = await at.api(
    "PATCH",
    "/posts/1",
    { post: {} },
    { "if-match": one.headers.get("etag") as string },
  );
  expect(again.status).toBe(200);
});

/** Pieces are whole before a row of `contents` points to them, and stay as they are. */
const NEVER_CHANGED = ["long_pieces"];

test("whatever table a post is read from, writing to it is told of", async () => {
  const at = startPlaten();
  await at.api("POST", "/posts", { post: { title: "Tea" } });
  const platen = { ...at.platen, db: openDatabase(at.platen.config.data) };
  const prepare = spyOn(Database.prototype, "prepare");
  writtenPosts(platen, at.blog, [1], { withContent: true, withSource: true, mayBeLong: true });
  const statements = prepare.mock.calls.map(([statement]) => statement);
  prepare.mockRestore();
  const schema = (wish: string) =>
    platen.db.$client.query(`SELECT name, tbl_name, sql FROM ${wish}`).values();
  const views = new Map(schema("sqlite_master WHERE type = 'view'").map(([name, , sql]) => [name, sql]));
  const told = schema("sqlite_temp_master WHERE type = 'trigger'").map(([, table]) => table);
  platen.db.$client.close(false);
  const tablesOf = (statement: string): string[] =>
    [...statement.matchAll(/\b(?:from|join) ["`](\w+)/gi)].flatMap(([, name = ""]) =>
      views.has(name) ? tablesOf(views.get(name) as string) : name,
    );
  const read = statements.flatMap(tablesOf);
  expect(read).toEqual(expect.arrayContaining(["posts", "contents", "tags", "blobs", "categories"]));
  expect(read.filter((table) => ![...told, ...NEVER_CHANGED].includes(table))).toEqual([]);
});

test("what is kept of a post says which blog it is of: to read it after another was written asks for neither", async () => {
  const at = startPlaten();
  for (const title of ["Tea", "Milk"]) await at.api("POST", "/posts", { post: { title } });
  for (const path of ["/posts/1", "/posts/2"]) await at.api("GET", path);
  await at.api("PATCH", "/posts/1", { post: { title: "Another" } });
  await at.api("GET", "/posts/1");
  ran.length = 0;
  expect((await at.api("GET", "/posts/2")).body.post.title).toBe("Milk");
  expect(ran.filter((asked) => /from "?(posts|blogs|contents|keys|accounts)\b/i.test(asked))).toEqual([]);

  const stranger = at.newKey(undefined, at.newAccount("bob@example.com"));
  const asStranger = { authorization: `Bearer ${stranger}` };
  at.newBlog({ slug: "second" });
  expect((await at.api("GET", "/posts/2", undefined, asStranger)).status).toBe(403);
  expect((await at.api("GET", "/posts/2?blog_id=2")).status).toBe(404);
  await at.api("DELETE", "/posts/2");
  expect((await at.api("GET", "/posts/2")).status).toBe(404);
});
