import { describe, expect, test } from "bun:test";
import { HOUR, MINUTE, SECOND, START } from "../support/platen";
import { type Endpoint, startEndpoint } from "./endpoint";

const postAt = async (at: Endpoint, url: string) =>
  (await at.api("GET", "/posts?status=all&include_content=true")).body.posts.find(
    (post: { url: string }) => post.url === url,
  );

describe("creating a post", () => {
  test("publishes it by default, and returns its URL in the body too", async () => {
    const at = startEndpoint();
    const { status, location, body } = await at.create({ content: ["Hello"] });
    expect([status, body.url]).toEqual([201, location]);
    expect(await postAt(at, location)).toMatchObject({ status: "published", title: "", type: "post" });
  });

  test("accepts every property that Platen has a field for", async () => {
    const at = startEndpoint();
    const { location } = await at.create({
      name: ["A title"],
      content: ["*Hi*"],
      category: ["Garden", "roses", "tulips"],
      published: ["2026-02-01T10:00:00+0100"],
      "post-status": ["draft"],
      visibility: ["unlisted"],
      "mp-slug": ["My Garden!"],
    });
    expect(location).toBe("http://blog.test/my-garden");
    expect(await postAt(at, location)).toMatchObject({
      title: "A title",
      status: "draft",
      published_at: "2026-02-01T09:00:00.000Z",
      category: { name: "Garden" },
      tags: ["roses", "tulips"],
      meta: { hidden: true },
      content: { html: "<p><em>Hi</em></p>\n", text: "Hi" },
    });
  });

  test.each([
    ["2020-08-11T18:58:00+0100", "2020-08-11T17:58:00.000Z"],
    ["2020-08-11T18:58:00+01:00", "2020-08-11T17:58:00.000Z"],
    ["2020-08-11T18:58:00-0730", "2020-08-12T02:28:00.000Z"],
    ["2020-08-11T18:58:00Z", "2020-08-11T18:58:00.000Z"],
    ["2020-08-11 18:58:00", "2020-08-11T18:58:00.000Z"],
    ["2020-08-11", "2020-08-11T00:00:00.000Z"],
  ])("with published %s sets published_at to %s", async (sent, instant) => {
    const at = startEndpoint();
    const { location } = await at.create({ content: ["Then"], published: [sent] });
    expect((await postAt(at, location)).published_at).toBe(instant);
  });

  test("with a future time schedules it", async () => {
    const at = startEndpoint();
    const later = new Date(START.getTime() + HOUR).toISOString();
    const { status, location } = await at.create({ content: ["Soon"], published: [later] });
    expect([status, (await at.fetch(location)).status]).toEqual([201, 404]);
    at.pass(HOUR);
    expect((await at.fetch(location)).status).toBe(200);
  });

  test("with an empty slug, or one of punctuation, uses the title", async () => {
    const at = startEndpoint();
    expect((await at.create({ name: ["One"], "mp-slug": [""] })).location).toBe("http://blog.test/one");
    expect((await at.create({ name: ["Two"], "mp-slug": ["!?"] })).location).toBe("http://blog.test/two");
  });

  test("with an empty post-status publishes it, or makes a draft if the key allows only drafts", async () => {
    const at = startEndpoint();
    const authorization = `Bearer ${at.newKey({ scopes: ["draft"] })}`;
    const statusAfter = async ({ status, location }: { status: number; location: string }) => {
      expect(status).toBe(201);
      return (await postAt(at, location)).status;
    };
    expect(await statusAfter(await at.form("h=entry&content=a&post-status="))).toBe("published");
    expect(await statusAfter(await at.create({ content: ["b"], "post-status": [] }))).toBe("published");
    expect(await statusAfter(await at.create({ content: ["c"], "post-status": [""] }))).toBe("published");
    const draft = await at.form("h=entry&content=d&post-status=", { authorization });
    expect(await statusAfter(draft)).toBe("draft");
  });

  test("with the channel pages creates a page", async () => {
    const at = startEndpoint();
    const { location } = await at.form("h=entry&name=About&mp-channel=pages");
    expect((await postAt(at, location)).type).toBe("page");
    expect((await at.query("q=source&mp-channel=pages")).body.items).toHaveLength(1);
    expect((await at.query("q=source&mp-channel=default")).body.items).toHaveLength(0);
  });

  test("stores no commands, and ignores unknown ones", async () => {
    const at = startEndpoint();
    const { location } = await at.form("h=entry&content=a&mp-whatever=b&mp-syndicate-to=c");
    expect(Object.keys(await at.source(location)).filter((name) => name.startsWith("mp-"))).toEqual([]);
  });

  test("stores unknown properties as they were sent, also nested ones", async () => {
    const at = startEndpoint();
    const properties = {
      place_name: ["Here"],
      mood: [{ a: [1, true, { b: null }] }],
      syndication: ["https://x.example/1"],
    };
    const { location } = await at.create({ content: ["a"], ...properties });
    expect(await at.source(location)).toMatchObject(properties);
  });

  const refused: [string, Record<string, unknown>, number, string][] = [
    ["no properties", {}, 422, "content"],
    ["only an unknown property", { mood: ["fine"] }, 422, "content"],
    ["visibility private", { content: ["a"], visibility: ["private"] }, 400, "visibility"],
    ["an unknown visibility", { content: ["a"], visibility: ["friends"] }, 422, "visibility"],
    ["an unknown status", { content: ["a"], "post-status": ["live"] }, 422, "post-status"],
    ["an invalid time", { content: ["a"], published: ["tomorrow"] }, 422, "published"],
    ["two names", { name: ["a", "b"] }, 422, "name"],
    ["a name that is an object", { name: [{ a: 1 }] }, 422, "name"],
    ["HTML content that is null", { content: [{ html: null }] }, 422, "content"],
    ["a blog_id that is an object", { content: ["a"], blog_id: [{ toString: 1 }] }, 422, "blog_id"],
    ["an unknown channel", { content: ["a"], "mp-channel": ["news"] }, 422, "mp-channel"],
    ["a name of 501 characters", { name: ["a".repeat(501)] }, 422, "name"],
    ["a tag of 201 characters", { content: ["a"], category: ["b", "a".repeat(201)] }, 422, "category"],
    ["properties of more than 256 KB", { content: ["a"], mood: ["a".repeat(256 * 1024)] }, 422, "properties"],
  ];
  test.each(refused)("with %s is rejected and stores nothing", async (_what, properties, status, field) => {
    const at = startEndpoint();
    const response = await at.create(properties);
    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ error: "invalid_request", error_description: expect.any(String) });
    expect(Object.keys(response.body.errors)).toContain(field);
    expect((await at.query("q=source")).body.items).toEqual([]);
  });
});

describe("a repeated create", () => {
  test("within a minute by the same key returns the first Location", async () => {
    const at = startEndpoint();
    const send = () => at.form("h=entry&content=Twice");
    const first = await send();
    at.pass(59 * SECOND);
    expect(await send()).toMatchObject({ status: 201, location: first.location });
    at.pass(2 * SECOND);
    expect((await send()).location).toBe("http://blog.test/twice-2");
  });

  test("by another key, with other content, or after deletion creates another post", async () => {
    const at = startEndpoint();
    const { location } = await at.form("h=entry&content=Twice");
    const other = await at.form("h=entry&content=Twice", { authorization: `Bearer ${at.newKey()}` });
    expect(other.location).toBe("http://blog.test/twice-2");
    expect((await at.form("h=entry&content=Twice&category=a")).location).toBe("http://blog.test/twice-3");
    await at.form(`action=delete&url=${location}`);
    expect((await at.form("h=entry&content=Twice")).status).toBe(201);
    expect((await at.fetch("/twice")).status).toBe(200);
  });
});

describe("an update", () => {
  test("changes only the named properties", async () => {
    const at = startEndpoint();
    const written = {
      name: ["Title"],
      content: ["Text"],
      category: ["a", "b"],
      mood: ["fine"],
      summary: ["Short"],
      "post-status": ["draft"],
    };
    const { location } = await at.create(written);
    const before = await at.source(location);
    expect((await at.json({ action: "update", url: location, replace: { content: ["New"] } })).status).toBe(
      204,
    );
    expect(await at.source(location)).toEqual({ ...before, content: ["New"] });
  });

  test("adds, replaces and deletes properties that Platen has no field for", async () => {
    const at = startEndpoint();
    const { location } = await at.create({
      content: ["a"],
      syndication: ["https://x.example/1"],
      mood: ["fine"],
    });
    const update = async (operation: object) => {
      await at.json({ action: "update", url: location, ...operation });
      return at.source(location);
    };
    expect(await update({ add: { syndication: ["https://x.example/2"] } })).toMatchObject({
      syndication: ["https://x.example/1", "https://x.example/2"],
      mood: ["fine"],
    });
    expect((await update({ delete: { syndication: ["https://x.example/1"] } })).syndication).toEqual([
      "https://x.example/2",
    ]);
    expect(await update({ delete: ["syndication", "mood", "never-there"] })).not.toHaveProperty("mood");
  });

  test("that changes the slug returns 201 with the new URL; the old one redirects", async () => {
    const at = startEndpoint();
    const { location } = await at.create({ name: ["First"] });
    const response = await at.json({ action: "update", url: location, replace: { "mp-slug": ["second"] } });
    expect([response.status, response.location]).toEqual([201, "http://blog.test/second"]);
    expect((await at.json({ action: "update", url: location, replace: { name: ["New"] } })).status).toBe(204);
    expect((await at.source(location)).url).toEqual(["http://blog.test/second"]);
  });

  test("changes a post from draft to published and back", async () => {
    const at = startEndpoint();
    const { location } = await at.create({ content: ["Hm"], "post-status": ["draft"] });
    expect((await at.fetch(location)).status).toBe(404);
    const changeStatus = (status: string) =>
      at.json({ action: "update", url: location, replace: { "post-status": [status] } });
    await changeStatus("published");
    expect((await at.fetch(location)).status).toBe(200);
    await changeStatus("draft");
    expect((await at.fetch(location)).status).toBe(404);
    expect((await changeStatus("")).status).toBe(204);
    expect((await at.source(location))["post-status"]).toEqual(["draft"]);
  });

  test("with an empty or null name removes the title", async () => {
    const at = startEndpoint();
    for (const name of [[""], null, []]) {
      const { location } = await at.create({ name: ["Title"], content: ["Text"] });
      expect((await at.json({ action: "update", url: location, replace: { name } })).status).toBe(204);
      expect(await at.source(location)).not.toHaveProperty("name");
      at.pass(2 * MINUTE);
    }
  });

  test("with null for content, category, photo or published is rejected and changes nothing", async () => {
    const at = startEndpoint();
    const { location } = await at.create({ content: ["Text"], category: ["a"] });
    for (const name of ["content", "category", "photo", "published"])
      expect(await at.json({ action: "update", url: location, replace: { [name]: null } })).toMatchObject({
        status: 400,
        body: { error: "invalid_request", error_description: expect.stringContaining(`replace.${name}`) },
      });
    expect(await at.source(location)).toMatchObject({ content: ["Text"], category: ["a"] });
  });

  test("warns about removed elements, as a create does", async () => {
    const at = startEndpoint();
    const { location } = await at.create({ content: ["Text"] });
    const replace = { content: [{ html: "<p>New<script>1</script></p>" }] };
    const { status, body } = await at.json({ action: "update", url: location, replace });
    expect([status, body]).toEqual([
      200,
      { warnings: ["Elements that a post cannot contain were removed: script (1)."] },
    ]);
  });

  test("of a post that is missing, of another account or in another blog is rejected", async () => {
    const at = startEndpoint();
    const { location } = await at.create({ content: ["Mine"] });
    const stranger = at.newAccount("eve@example.com");
    const blog = at.newBlog({ slug: "eve" }, stranger);
    const authorization = `Bearer ${at.newKey({}, stranger)}`;
    const update = (url: string, headers = {}) =>
      at.json({ action: "update", url, replace: { content: ["x"] } }, headers);
    expect((await update("http://blog.test/nothing")).status).toBe(404);
    expect((await update("http://elsewhere.example/mine")).status).toBe(404);
    expect((await update("mine")).status).toBe(404);
    expect((await update(location, { authorization })).status).toBe(403);
    expect((await update(location, { "x-blog-id": String(blog.id) })).status).toBe(403);
    const second = at.newBlog({ slug: "second" });
    expect((await update(location, { "x-blog-id": String(second.id) })).status).toBe(404);
    expect((await at.source(location)).content).toEqual(["Mine"]);
  });
});

describe("undeleting", () => {
  test("restores all properties, with another slug if its own is taken", async () => {
    const at = startEndpoint();
    const { location } = await at.create({ name: ["Rose"], category: ["a", "b"], mood: ["fine"] });
    const before = await at.source(location);
    await at.form(`action=delete&url=${location}`);
    expect((await at.query(`q=source&url=${location}`)).status).toBe(404);
    await at.create({ name: ["Rose"], content: ["Another"] });
    const response = await at.form(`action=undelete&url=${location}`);
    expect([response.status, response.location]).toEqual([201, "http://blog.test/rose-2"]);
    expect(await at.source(response.location)).toEqual({ ...before, url: [response.location] });
  });

  test("a post that is not deleted changes nothing; an unknown one returns 404", async () => {
    const at = startEndpoint();
    const { location } = await at.create({ name: ["Rose"] });
    expect((await at.form(`action=undelete&url=${location}`)).status).toBe(204);
    expect((await at.form("action=undelete&url=http://blog.test/tulip")).status).toBe(404);
  });

  test("in another blog than the post's is rejected, whether the post is deleted or not", async () => {
    const at = startEndpoint();
    at.newBlog({ slug: "second" });
    const { location } = await at.create({ name: ["Rose"] });
    const undelete = { action: "undelete", url: location };
    const elsewhere = { ...undelete, "mp-destination": "http://blog.test/@second/" };
    expect((await at.json(elsewhere)).status).toBe(404);
    await at.form(`action=delete&url=${location}`);
    expect((await at.json(elsewhere)).status).toBe(404);
    expect((await at.fetch(location)).status).toBe(404);
    expect((await at.json({ ...undelete, "mp-destination": "http://blog.test/" })).status).toBe(204);
    expect((await at.fetch(location)).status).toBe(200);
  });

  test("needs the scope update", async () => {
    const at = startEndpoint();
    const { location } = await at.create({ name: ["Rose"] });
    await at.form(`action=delete&url=${location}`);
    const authorization = `Bearer ${at.newKey({ scopes: ["delete", "create"] })}`;
    expect((await at.form(`action=undelete&url=${location}`, { authorization })).status).toBe(403);
  });
});

test("a key with only the scope draft creates and changes drafts, and nothing else", async () => {
  const at = startEndpoint();
  const headers = { authorization: `Bearer ${at.newKey({ scopes: ["draft"] })}` };
  const { location } = await at.form("h=entry&content=Maybe", headers);
  expect((await at.source(location))["post-status"]).toEqual(["draft"]);
  expect((await at.form("h=entry&content=Now&post-status=published", headers)).status).toBe(403);
  const update = (replace: object) => at.json({ action: "update", url: location, replace }, headers);
  expect((await update({ content: ["Perhaps"] })).status).toBe(204);
  expect((await update({ "post-status": ["published"] })).status).toBe(403);
  expect((await at.form(`action=delete&url=${location}`, headers)).status).toBe(403);
});

describe("the destination blog", () => {
  const places: [string, (at: Endpoint, uid: string, id: string) => Promise<{ location: string }>][] = [
    ["mp-destination in a form", (at, uid) => at.form(`h=entry&content=a&mp-destination=${uid}`)],
    [
      "mp-destination among the properties",
      (at, uid) => at.create({ content: ["a"], "mp-destination": [uid] }),
    ],
    [
      "mp-destination next to the type",
      (at, uid) => at.create({ content: ["a"] }, { "mp-destination": uid }),
    ],
    [
      "mp-destination without its slash",
      (at, uid) => at.form(`h=entry&content=a&mp-destination=${uid.slice(0, -1)}`),
    ],
    ["blog_id in a form", (at, _uid, id) => at.form(`h=entry&content=a&blog_id=${id}`)],
    ["blog_id in JSON", (at, _uid, id) => at.create({ content: ["a"] }, { blog_id: Number(id) })],
    [
      "blog_id in the query",
      (at, _uid, id) => at.ask(`/micropub?blog_id=${id}`, { method: "POST", body: "h=entry&content=a" }),
    ],
    ["X-Blog-ID", (at, _uid, id) => at.form("h=entry&content=a", { "x-blog-id": id })],
    [
      "mp-destination in multipart",
      (at, uid) =>
        at.multipart([
          ["content", "a"],
          ["mp-destination", uid],
        ]),
    ],
  ];
  test.each(places)("is named by %s", async (_how, send) => {
    const at = startEndpoint();
    const garden = at.newBlog({ slug: "garden" });
    const { location } = await send(at, "http://blog.test/@garden/", String(garden.id));
    expect(location).toBe("http://blog.test/@garden/a");
    expect((await at.source(location)).content).toEqual(["a"]);
    expect((await at.query(`q=source&blog_id=${garden.id}`)).body.items).toHaveLength(1);
    expect((await at.query("q=source&mp-destination=http://blog.test/@garden/")).body.items).toHaveLength(1);
    expect((await at.query("q=source")).body.items).toHaveLength(0);
  });

  test("is one of those in q=config; an unknown one returns 404, another account's 403", async () => {
    const at = startEndpoint();
    at.newBlog({ slug: "garden", title: "Garden", domain: "garden.example" });
    const hers = at.newBlog({ slug: "eve" }, at.newAccount("eve@example.com"));
    expect((await at.query("q=config")).body.destination).toEqual([
      { uid: "http://blog.test/", name: "Ada's Blog" },
      { uid: "http://garden.example/", name: "Garden" },
    ]);
    const send = (word: string) => at.form(`h=entry&content=a&${word}`);
    expect((await send("mp-destination=http://garden.example/")).location).toBe("http://garden.example/a");
    expect((await at.source("http://garden.example/a")).content).toEqual(["a"]);
    expect((await send("mp-destination=http://nowhere.example/")).status).toBe(404);
    expect((await send("blog_id=99")).status).toBe(404);
    expect((await send("blog_id=one")).status).toBe(422);
    expect((await send(`blog_id=${hers.id}`)).status).toBe(403);
    expect((await send("mp-destination=http://blog.test/@eve/")).status).toBe(403);
  });
});

test("undeleting a post updates updated_at", async () => {
  const at = startEndpoint();
  const { location } = await at.create({ name: ["Back"], content: ["Hello"] });
  at.pass(HOUR);
  await at.json({ action: "delete", url: location });
  at.pass(HOUR);
  await at.json({ action: "undelete", url: location });
  expect((await postAt(at, location)).updated_at).toBe(new Date(START.getTime() + 2 * HOUR).toISOString());
});
