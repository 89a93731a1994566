import { describe, expect, test } from "bun:test";
import { openDatabase } from "../../src/database/open";
import { startOwned } from "../admin/owner";
import { DAY, SECOND, START } from "../support/platen";
import { startEndpoint } from "./endpoint";

test("q=config returns all capabilities, and so does a request without a query", async () => {
  const at = startEndpoint();
  const { body } = await at.query("q=config");
  expect(body).toMatchObject({
    "media-endpoint": "http://blog.test/micropub/media",
    destination: [{ uid: "http://blog.test/", name: "Ada's Blog" }],
    "syndicate-to": [],
    channels: [{ uid: "default" }, { uid: "pages" }],
    visibility: ["public", "unlisted"],
    q: expect.arrayContaining([
      "config",
      "source",
      "category",
      "syndicate-to",
      "channel",
      "contact",
      "post-types",
    ]),
  });
  expect(body["post-types"]).toContainEqual(expect.objectContaining({ type: "note", name: "Note" }));
  expect((await at.ask("/micropub")).body).toEqual(body);
  expect((await at.query("q=post-types")).body["post-types"]).toEqual(body["post-types"]);
});

test.each([
  ["few", 400],
  ["many", 2],
])("articles are listed in order if they are %s of a blog's posts", async (_how, every) => {
  const at = startEndpoint();
  // Later posts come first; every fifth one is a draft without a time, and one is a like with a title.
  at.platen.db.$client.run(
    `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids LIMIT 2400)
     INSERT INTO posts (id, blog_id, status, type, title, slug, published_at, created_at, updated_at, is_announced, properties)
     SELECT id, ?1, iif(id % 5, 'published', 'draft'), 'post', iif(id % ?2, '', 'p' || id), 'p' || id, iif(id % 5, ?3 + id, null),
       ?3 + id, ?3, 1, iif(id = 1200, '{"like-of": ["https://example.org/"]}', '{}') FROM ids`,
    [at.blog.id, every, START.getTime() - DAY],
  );
  at.platen.db.$client.run(
    "INSERT INTO contents (post_id, source_type, html, text, source) SELECT id, 'html', '', '', '' FROM posts",
  );
  const names = async (query: string) => {
    const { items } = (await at.query(`q=source&post-type=article&${query}`)).body;
    return items.map(({ properties }: { properties: Record<string, string[]> }) => properties.name?.[0]);
  };
  const articles = Array.from({ length: 2400 }, (_, before) => 2400 - before)
    .filter((id) => id % every === 0 && id !== 1200)
    .map((id) => `p${id}`);
  expect(await names("limit=8")).toEqual(articles.slice(0, 8));
  expect(await names("limit=8&offset=3")).toEqual(articles.slice(3, 11));
  await at.api("DELETE", `/posts/${articles[4]?.slice(1)}`);
  expect(await names("limit=8&offset=3")).toEqual(articles.toSpliced(4, 1).slice(3, 11));
});

test("a key for one blog sees only that blog", async () => {
  const at = startEndpoint();
  const garden = at.newBlog({ slug: "garden", title: "Garden" });
  const authorization = `Bearer ${at.newKey({ blogIds: [garden.id] })}`;
  const { body } = await at.ask("/micropub?q=config", { headers: { authorization } });
  expect(body.destination).toEqual([{ uid: "http://blog.test/@garden/", name: "Garden" }]);
  expect((await at.form("content=a", { authorization })).location).toBe("http://blog.test/@garden/a");
});

test("q=category lists categories and tags once each, and filters them", async () => {
  const at = startEndpoint();
  await at.create({ content: ["a"], category: ["Garden", "roses"] });
  await at.create({ content: ["b"], category: ["Roses", "Tulips"] });
  const list = async (query = "") => (await at.query(`q=category${query}`)).body.categories;
  expect(await list()).toEqual(["Garden", "Roses", "Tulips"]);
  expect(await list("&filter=ROS")).toEqual(["Roses"]);
  expect(await list("&search=tul")).toEqual(["Tulips"]);
  expect(await list("&limit=1")).toEqual(["Garden"]);
});

test("queries without results return empty lists", async () => {
  const at = startEndpoint();
  expect((await at.query("q=contact")).body).toEqual({ contacts: [] });
  expect((await at.query("q=syndicate-to")).body).toEqual({ "syndicate-to": [] });
  expect((await at.query("q=category")).body).toEqual({ categories: [] });
  expect((await at.query("q=source")).body).toEqual({ items: [], paging: {} });
});

test.each(["q=nothing", "q=", "q=__proto__", "q=source&limit=0", "q=source&offset=-1", "q=source&after=x"])(
  "%s returns 400",
  async (query) => {
    const { status, body } = await startEndpoint().query(query);
    expect([status, body.error]).toEqual([400, "invalid_request"]);
  },
);

describe("q=source without a URL", () => {
  async function startWithPosts(count: number) {
    const at = startEndpoint();
    const urls: string[] = [];
    for (let number = 0; number < count; number++)
      urls.unshift((await at.create({ content: [`Post ${number}`] })).location);
    const list = async (query = "") => {
      const { body } = await at.query(`q=source${query}`);
      const found: string[] = body.items.map(
        (item: { properties: { url: string[] } }) => item.properties.url[0],
      );
      return { found, paging: body.paging };
    };
    return { at, urls, list };
  }

  test("lists posts newest first, drafts too, and pages by limit and offset", async () => {
    const { at, urls, list } = await startWithPosts(5);
    const draft = await at.create({ content: ["Draft"], "post-status": ["draft"] });
    expect((await list()).found).toEqual([draft.location, ...urls]);
    expect((await list("&limit=2&offset=1")).found).toEqual(urls.slice(0, 2));
    expect((await list("&post-status=draft")).found).toEqual([draft.location]);
    expect((await list("&post-status=")).found).toHaveLength(6);
    const unknown = await at.query("q=source&post-status=scheduled");
    expect(unknown.status).toBe(400);
    expect(unknown.body.error_description).toBe("post-status must be published, draft or archived.");
  });

  test("pages in both directions without missing or repeating posts with equal times", async () => {
    const { at, urls, list } = await startWithPosts(5);
    const first = await list("&limit=2");
    at.pass(SECOND);
    const newest = await at.create({ content: ["Newest"] });
    const second = await list(`&limit=2&after=${first.paging.after}`);
    const third = await list(`&limit=2&after=${second.paging.after}`);
    expect([...first.found, ...second.found, ...third.found]).toEqual(urls);
    expect(third.paging).not.toHaveProperty("after");
    expect((await list(`&limit=2&before=${second.paging.before}`)).found).toEqual(first.found);
    expect((await list(`&before=${first.paging.before}`)).found).toEqual([newest.location]);
    const between = `&before=${third.paging.before}&after=${first.paging.before}`;
    expect((await list(between)).found).toEqual(urls.slice(1, 4));
    expect((await list(`${between}&limit=2`)).found).toEqual(urls.slice(2, 4));
  });

  test("filters by words and by post type", async () => {
    const at = startEndpoint();
    const make = async (properties: object) =>
      (await at.create(properties as Record<string, unknown>)).location;
    const note = await make({ content: ["A heron"] });
    const article = await make({ name: ["On herons"], content: ["Long"] });
    const like = await make({ "like-of": ["https://example.org/"] });
    const list = async (query: string) =>
      (await at.query(`q=source&${query}`)).body.items.map(
        (item: { properties: { url: string[] } }) => item.properties.url[0],
      );
    expect(await list("filter=heron")).toEqual([article, note]);
    expect(await list("post-type=note")).toEqual([note]);
    expect(await list("post-type=article")).toEqual([article]);
    expect(await list("post-type=like")).toEqual([like]);
    expect(await list("post-type=toString")).toEqual([]);
    const photo = ["https://example.org/a.jpg"];
    const seen = await make({ "in-reply-to": ["https://example.org/"], photo, "post-status": ["draft"] });
    const named = await make({ name: ["Of herons"], photo });
    const draft = await make({ content: ["A begun one"], "post-status": ["draft"] });
    expect(await list("post-type=photo")).toEqual([named, seen]);
    expect(await list("post-type=reply")).toEqual([seen]);
    expect(await list("post-type=rsvp")).toEqual([]);
    expect(await list("post-type=note")).toEqual([draft, note]);
    expect(await list("post-type=note&offset=1")).toEqual([note]);
    const going = await make({ rsvp: ["yes"], "in-reply-to": ["https://example.org/"] });
    expect(await list("post-type=rsvp")).toEqual([going]);
    // The second request is served from the cache.
    expect(await list("post-type=photo")).toEqual([named, seen]);
    expect(await list("post-type=photo&limit=1&offset=1")).toEqual([seen]);
    expect(await list("post-type=article&post-status=published")).toEqual([article]);
  });

  test("returns only the requested properties", async () => {
    const { at } = await startWithPosts(1);
    expect((await at.query("q=source&properties[]=content")).body.items).toEqual([
      { properties: { content: ["Post 0"] } },
    ]);
  });
});

describe("a cached list", () => {
  const LIST = "/micropub?q=source&post-type=note";

  test("contains changes of every adapter at once", async () => {
    const owned = await startOwned();
    const headers = { authorization: `Bearer ${owned.key}` };
    const listed = async () => {
      const { items } = await (await owned.fetch(LIST, { headers })).json();
      return items.map(({ properties }: { properties: Record<string, string[]> }) => properties.url?.[0]);
    };
    expect([await listed(), await listed()]).toEqual([[], []]);
    const body = new URLSearchParams({ content: "By Micropub" });
    const first = (await owned.fetch("/micropub", { method: "POST", headers, body })).headers.get("location");
    expect([await listed(), await listed()]).toEqual([[first], [first]]);
    const post = (await owned.api("POST", "/posts", { post: { content: "<p>By the API</p>" } })).body.post;
    expect(await listed()).toEqual([post.url, first]);
    await owned.api("DELETE", `/posts/${post.id}`);
    expect(await listed()).toEqual([first]);
    await owned.browser.post("/admin/blogs/ada/posts/trash", { id: String(post.id) });
    expect(await listed()).toEqual([post.url, first]);
    const other = openDatabase(owned.platen.config.data);
    other.$client.run("UPDATE posts SET title = 'No note' WHERE id = ?", [post.id]);
    other.$client.close(false);
    // Visible from the next event-loop tick on.
    await new Promise(setImmediate);
    expect(await listed()).toEqual([first]);
  });

  test("belongs to one blog, and to keys that may read it", async () => {
    const at = startEndpoint();
    const garden = at.newBlog({ slug: "garden" });
    const other = at.newAccount("bea@example.com");
    const theirs = at.newBlog({ slug: "bea" }, other);
    const draft = { type: ["h-entry"], properties: { content: ["Mine"], "post-status": ["draft"] } };
    await at.json(draft);
    const contents = async (headers: Record<string, string> = {}) => {
      const { status, body } = await at.ask(LIST, { headers });
      return body.items?.map(({ properties }: typeof draft) => properties.content[0]) ?? status;
    };
    const keyHeader = (key: string) => ({ authorization: `Bearer ${key}` });
    const writer = keyHeader(at.newKey({ scopes: ["create"] }));
    expect([await contents(), await contents()]).toEqual([["Mine"], ["Mine"]]);
    expect(await contents({ "x-blog-id": String(garden.id) })).toEqual([]);
    expect(await contents(keyHeader(at.newKey({ blogIds: [garden.id] })))).toEqual([]);
    expect(await contents(keyHeader(at.newKey({}, other)))).toEqual([]);
    expect(await contents({ "x-blog-id": String(theirs.id) })).toBe(403);
    expect(await contents(writer)).toBe(403);
    expect(await contents({ authorization: "" })).toBe(401);
    expect(await contents()).toEqual(["Mine"]);
  });

  test("is not sent again to a client that has it", async () => {
    const at = startEndpoint();
    await at.create({ content: ["One"] });
    const { headers } = await at.ask(LIST);
    expect(headers.get("cache-control")).toBe("private, no-cache");
    const known = { "if-none-match": headers.get("etag") as string };
    expect((await at.ask(LIST, { headers: known })).status).toBe(304);
    await at.create({ content: ["Two"] });
    expect((await at.ask(LIST, { headers: known })).status).toBe(200);
  });
});

test("a query without a valid key returns 401", async () => {
  const at = startEndpoint();
  expect((await at.ask("/micropub?q=config", { headers: { authorization: "" } })).status).toBe(401);
  expect((await at.ask("/micropub?q=config", { headers: { authorization: "Bearer no" } })).status).toBe(401);
});

describe("CORS", () => {
  test.each(["/micropub", "/micropub/media"])("scripts of any origin may use %s", async (path) => {
    const at = startEndpoint();
    const headers = {
      authorization: "",
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    };
    const preflight = await at.ask(path, { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-headers")).toMatch(/Authorization.*Content-Type/);
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    expect(preflight.headers.has("access-control-allow-credentials")).toBe(false);
    for (const init of [{}, { method: "POST", body: "content=a" }, { headers: { authorization: "" } }]) {
      const response = await at.ask(path, init);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("access-control-expose-headers")).toBe("Location, Link");
    }
  });
});

test("other methods and paths return errors in Micropub's format", async () => {
  const at = startEndpoint();
  for (const method of ["PUT", "PATCH", "DELETE"]) {
    const { status, headers, body } = await at.ask("/micropub", { method, body: "x" });
    expect([status, headers.get("allow"), body.error]).toEqual([
      405,
      "GET, HEAD, POST, OPTIONS",
      "invalid_request",
    ]);
  }
  expect(await at.ask("/micropub/else")).toMatchObject({ status: 404, body: { error: "not_found" } });
});
