import { describe, expect, test } from "bun:test";
import { picture, uploadForm } from "../support/pictures";
import { HOUR, START, startPlaten, type TestPlaten } from "../support/platen";

async function upload({ fetch, key }: TestPlaten, filename: string, fields: Record<string, string> = {}) {
  const response = await fetch("/api/v1/attachments", {
    method: "POST",
    body: uploadForm(await picture(), filename, fields),
    headers: { authorization: `Bearer ${key}` },
  });
  return (await response.json()).attachment;
}

const filenamesOf = (files: { filename: string }[]) => files.map(({ filename }) => filename);

describe("GET /attachments", () => {
  test("lists the blog's files, newest first, each with the posts that contain it", async () => {
    const platen = startPlaten();
    const cat = await upload(platen, "cat.jpg", { "attachment[caption]": "A cat" });
    await upload(platen, "dog.jpg");
    const { post } = (
      await platen.api("POST", "/posts", { post: { title: "Cats", content: cat.html, status: "published" } })
    ).body;
    const { body: draft } = await platen.api("POST", "/posts", {
      post: { title: "More", content: cat.html },
    });
    const { status, body } = await platen.api("GET", "/attachments");
    expect(status).toBe(200);
    expect(filenamesOf(body.attachments)).toEqual(["dog.jpg", "cat.jpg"]);
    expect(body.attachments[0].used_by).toEqual([]);
    const uses = [
      { id: post.id, title: "Cats", status: "published", type: "post", url: post.url },
      { id: draft.post.id, title: "More", status: "draft", type: "post", url: draft.post.url },
    ];
    expect(body.attachments[1]).toMatchObject({ ...cat, html: expect.any(String), used_by: uses });
    expect(body.pagination).toEqual({ page: 1, limit: 20, total: 2, pages: 1, next: null });
    await platen.api("DELETE", `/posts/${post.id}`);
    const after = (await platen.api("GET", "/attachments")).body.attachments[1];
    expect(after.used_by).toEqual(uses.slice(1));
  });

  test("pages by number and by cursor; a new upload does not shift pages of a cursor", async () => {
    const platen = startPlaten();
    for (const name of ["a.jpg", "b.jpg", "c.jpg"]) await upload(platen, name);
    const first = (await platen.api("GET", "/attachments?limit=2")).body;
    expect(filenamesOf(first.attachments)).toEqual(["c.jpg", "b.jpg"]);
    await upload(platen, "d.jpg");
    expect(filenamesOf((await platen.api("GET", "/attachments?limit=2&page=2")).body.attachments)).toEqual([
      "b.jpg",
      "a.jpg",
    ]);
    const rest = (await platen.api("GET", `/attachments?limit=2&cursor=${first.pagination.next}`)).body;
    expect(filenamesOf(rest.attachments)).toEqual(["a.jpg"]);
    expect(rest.pagination.next).toBeNull();
    const posts = await platen.api("GET", `/posts?cursor=${first.pagination.next}`);
    expect(posts.status).toBe(400);
    expect((await platen.api("GET", "/attachments?page=0")).status).toBe(400);
  });
});

describe("GET /categories", () => {
  test("lists categories by name; counts match GET /posts with the same status", async () => {
    const platen = startPlaten();
    const later = new Date(START.getTime() + HOUR).toISOString();
    const fields = [
      { category: "dogs", status: "published" },
      { category: "Cats", status: "published" },
      { category: "Cats", status: "published", published_at: later },
      { category: "Cats", status: "published", type: "page" },
      { category: "Cats", status: "draft" },
      { category: "Cats", status: "archived" },
      { category: "Cats", status: "published" },
      { category: "Empty", status: "draft" },
    ];
    for (const [index, post] of fields.entries())
      await platen.api("POST", "/posts", { post: { title: `${index}`, ...post } });
    await platen.api("DELETE", "/posts/7");
    await platen.api("DELETE", "/posts/8");
    const { status, body } = await platen.api("GET", "/categories");
    expect(status).toBe(200);
    expect(body.categories.map(({ name }: { name: string }) => name)).toEqual(["Cats", "dogs", "Empty"]);
    expect(body.categories[0]).toEqual({
      id: expect.any(Number),
      name: "Cats",
      slug: "cats",
      url: "http://blog.test/category/cats",
      counts: { published: 2, scheduled: 1, draft: 1, archived: 1, all: 5 },
    });
    for (const { id, counts } of body.categories)
      for (const [of, count] of Object.entries(counts)) {
        const { pagination } = (await platen.api("GET", `/posts?category_id=${id}&status=${of}`)).body;
        expect(pagination.total).toBe(count);
      }
  });
});

describe("GET /blogs/:id", () => {
  test("returns the blog and its settings without secrets", async () => {
    const platen = startPlaten();
    platen.platen.db.$client.run(
      "UPDATE blogs SET webhook_secret = 'whsec_secret', time_zone = 'Asia/Tokyo'",
    );
    const { status, body } = await platen.api("GET", `/blogs/${platen.blog.id}`);
    expect(status).toBe(200);
    expect(body.blog).toEqual({
      id: 1,
      title: "Ada's Blog",
      slug: "ada",
      domain: null,
      url: "http://blog.test/",
      description: "",
      language: "en",
      time_zone: "Asia/Tokyo",
      theme: "serif",
      accent: "",
      header: "",
      footer: "",
      css: "",
      profiles: [],
      navigation: [],
      home_post_id: null,
      home_category_id: null,
      design: {},
      posts_a_page: 20,
      feed_content: "full",
      komments_open: true,
      komments_moderated: true,
      komment_events: false,
      created_at: START.toISOString(),
      updated_at: START.toISOString(),
    });
  });

  test("returns 404 for an unknown blog, 403 for another account's", async () => {
    const platen = startPlaten();
    const foreign = platen.newBlog({ title: "Foreign" }, platen.newAccount("eve@example.com"));
    expect((await platen.api("GET", "/blogs/99")).status).toBe(404);
    expect((await platen.api("GET", "/blogs/x")).status).toBe(404);
    expect((await platen.api("GET", `/blogs/${foreign.id}`)).status).toBe(403);
  });
});

test("these routes require the scope read for the requested blog", async () => {
  const platen = startPlaten();
  const second = platen.newBlog({ title: "Second" });
  const writer = platen.newKey({ scopes: ["create", "media"] });
  const bound = platen.newKey({ blogIds: [second.id] });
  for (const path of ["/attachments", "/categories", "/blogs/1"]) {
    const statusOf = async (key: string, query = "") =>
      (await platen.api("GET", path + query, undefined, { authorization: `Bearer ${key}` })).status;
    expect([path, await statusOf(writer), await statusOf("wrong")]).toEqual([path, 403, 401]);
    expect([path, await statusOf(bound, path === "/blogs/1" ? "" : "?blog_id=1")]).toEqual([path, 403]);
  }
});

test("an invalid cursor is rejected", async () => {
  const { api, blog } = startPlaten();
  for (const made of [
    "x",
    "7",
    "null",
    "{}",
    "[]",
    '[1,{"a":1},2]',
    "[1,null,[]]",
    '["1",null,2]',
    "[1.5,null,2]",
    "[1e400,1,1]",
  ]) {
    const place = Buffer.from(made).toString("base64url");
    const list = JSON.stringify([blog.id, "attachments"]);
    const check = new Bun.CryptoHasher("sha256").update(`${list} ${place}`).digest("hex").slice(0, 16);
    expect([made, (await api("GET", `/attachments?cursor=${place}.${check}`)).status]).toEqual([made, 400]);
  }
});
