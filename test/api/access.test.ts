import { describe, expect, test } from "bun:test";
import { DAY, startPlaten } from "../support/platen";

const EVERY_ROUTE: [string, string][] = [
  ["GET", "/info"],
  ["GET", "/posts"],
  ["POST", "/posts"],
  ["GET", "/posts/1"],
  ["PUT", "/posts/1"],
  ["PATCH", "/posts/1"],
  ["DELETE", "/posts/1"],
  ["PATCH", "/posts/1/publish"],
  ["PATCH", "/posts/1/unpublish"],
  ["POST", "/attachments"],
  ["GET", "/attachments"],
  ["GET", "/categories"],
  ["GET", "/blogs/1"],
  ["GET", "/blogs/1/reach"],
  ["PATCH", "/blogs/1/reach"],
  ["GET", "/blogs/1/subscribers"],
  ["POST", "/blogs/1/subscribers"],
  ["PATCH", "/blogs/1/subscribers/2"],
  ["DELETE", "/blogs/1/subscribers/2"],
  ["GET", "/blogs/1/followers"],
  ["DELETE", "/blogs/1/followers/2"],
  ["DELETE", "/blogs/1/people"],
  ["GET", "/blogs/1/komments"],
  ["GET", "/blogs/1/deliveries"],
];

describe("authentication", () => {
  test.each(EVERY_ROUTE)("%s %s without a valid key returns 401, whatever the body", async (method, path) => {
    const { api } = startPlaten();
    const body = method === "GET" ? undefined : "{not json";
    for (const authorization of ["", "Bearer", "Bearer nope", "Basic abc", "Bearer platen_x y"]) {
      const answer = await api(method, path, body, { authorization });
      expect(answer.status).toBe(401);
      expect(answer.body.message).toBeString();
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("the word Bearer is case-insensitive", async () => {
    const { api, key } = startPlaten();
    expect((await api("GET", "/info", undefined, { authorization: `bearer ${key}` })).status).toBe(200);
  });

  test("a revoked or expired key returns 401", async () => {
    const { api, newKey, pass, platen } = startPlaten();
    const authorization = `Bearer ${newKey({ lifetime: DAY })}`;
    expect((await api("GET", "/info", undefined, { authorization })).status).toBe(200);
    pass(DAY);
    expect((await api("GET", "/info", undefined, { authorization })).status).toBe(401);
    platen.db.$client.run("UPDATE keys SET revoked_at = 1 WHERE id = 1");
    expect((await api("GET", "/info")).status).toBe(401);
  });

  test("the database stores only the hash of a key", () => {
    const { key, platen } = startPlaten();
    expect(key).toMatch(/^platen_[\w-]{32,}$/);
    const row = platen.db.$client.query("SELECT * FROM keys").get() as Record<string, unknown>;
    expect(JSON.stringify(row)).not.toContain(key.slice("platen_".length));
    expect(row.hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("scopes", () => {
  test("a key with the scope draft writes drafts, and cannot publish them", async () => {
    const { api, newKey } = startPlaten();
    const live = (await api("POST", "/posts", { post: { title: "live", status: "published" } })).body.post;
    const header = { authorization: `Bearer ${newKey({ scopes: ["read", "draft"] })}` };
    const draft = await api("POST", "/posts", { post: { title: "mine" } }, header);
    expect([draft.status, draft.body.post.status]).toEqual([201, "draft"]);
    const path = `/posts/${draft.body.post.id}`;
    expect((await api("POST", "/posts", { post: { title: "x", status: "published" } }, header)).status).toBe(
      403,
    );
    expect((await api("PATCH", path, { post: { title: "still mine" } }, header)).status).toBe(200);
    expect((await api("PATCH", path, { post: { status: "published" } }, header)).status).toBe(403);
    expect((await api("PATCH", path, { post: { meta: { is_shared: true } } }, header)).status).toBe(403);
    const shared = { post: { title: "x", meta: { is_shared: true } } };
    expect((await api("POST", "/posts", shared, header)).status).toBe(403);
    expect((await api("PATCH", `${path}/publish`, undefined, header)).status).toBe(403);
    expect((await api("PATCH", `/posts/${live.id}`, { post: { title: "x" } }, header)).status).toBe(403);
    expect((await api("DELETE", path, undefined, header)).status).toBe(403);
  });
});

describe("ownership", () => {
  const two = async () => {
    const started = startPlaten();
    const mallory = started.newAccount("mallory@example.com");
    const herBlog = started.newBlog({ title: "Hers", slug: "hers" }, mallory);
    const second = started.newBlog({ title: "Second", slug: "second" });
    const herHeader = { authorization: `Bearer ${started.newKey({}, mallory)}` };
    const post = (await started.api("POST", "/posts", { post: { title: "mine", status: "published" } })).body
      .post;
    return { ...started, herBlog, second, herHeader, post };
  };

  test("a post of another account returns 403, an unknown post 404", async () => {
    const { api, herHeader, post } = await two();
    for (const [method, suffix, body] of [
      ["GET", "", undefined],
      ["PATCH", "", { post: { title: "hers" } }],
      ["DELETE", "", undefined],
      ["PATCH", "/publish", undefined],
    ] as const) {
      expect((await api(method, `/posts/${post.id}${suffix}`, body, herHeader)).status).toBe(403);
      expect((await api(method, `/posts/999999${suffix}`, body, herHeader)).status).toBe(404);
    }
    for (const id of ["abc", "0", "-1", "1.5", "99999999999999999999", "%00", "1e0", "0x1"])
      expect((await api("GET", `/posts/${id}`)).status).toBe(404);
  });

  test("another account's blog returns 403; an unknown blog, or a blog without that post, returns 404", async () => {
    const { api, herBlog, second, post } = await two();
    expect((await api("GET", `/posts?blog_id=${herBlog.id}`)).status).toBe(403);
    expect(await api("GET", "/posts?blog_id=999")).toMatchObject({
      status: 404,
      body: { message: "There is no such blog.", errors: { blog_id: ["is not the id of a blog"] } },
    });
    expect((await api("POST", "/posts", { blog_id: herBlog.id, post: { title: "a" } })).status).toBe(403);
    const nowhere = await api("POST", "/posts", { blog_id: 999, post: { title: "a" } });
    expect([nowhere.status, Object.keys(nowhere.body.errors)]).toEqual([404, ["blog_id"]]);
    expect((await api("GET", `/posts/${post.id}?blog_id=${second.id}`)).status).toBe(404);
    expect(
      (await api("PATCH", `/posts/${post.id}`, { blog_id: second.id, post: { title: "a" } })).status,
    ).toBe(404);
    expect((await api("GET", `/posts/${post.id}?blog_id=1`)).status).toBe(200);
  });

  test("a request that names no blog uses the selected blog", async () => {
    const { api, second } = await two();
    const there = await api("POST", "/posts", {
      blog_id: second.id,
      post: { title: "a", status: "published" },
    });
    expect(there.body.post.blog).toEqual({ id: second.id, title: "Second", slug: "second" });
    expect(there.body.post.url).toBe("http://blog.test/@second/a");
    expect((await api("GET", "/posts")).body.posts.map((post: { title: string }) => post.title)).toEqual([
      "mine",
    ]);
    expect((await api("GET", `/posts?blog_id=${second.id}`)).body.posts).toHaveLength(1);
  });

  test("a key for one blog reaches no other blog, and that blog is its default", async () => {
    const { api, newKey, second, post } = await two();
    const header = { authorization: `Bearer ${newKey({ blogIds: [second.id] })}` };
    const info = (await api("GET", "/info", undefined, header)).body;
    expect(info.blogs).toEqual([
      { id: second.id, title: "Second", slug: "second", url: "http://blog.test/@second/", selected: true },
    ]);
    expect((await api("POST", "/posts", { post: { title: "b" } }, header)).body.post.blog.id).toBe(second.id);
    expect((await api("GET", `/posts/${post.id}`, undefined, header)).status).toBe(403);
    expect((await api("GET", "/posts?blog_id=1", undefined, header)).status).toBe(403);
  });

  test("an account without a blog gets an error that says so", async () => {
    const { api, newAccount, newKey } = startPlaten();
    const header = { authorization: `Bearer ${newKey({}, newAccount("new@example.com"))}` };
    expect((await api("GET", "/posts", undefined, header)).status).toBe(404);
    expect((await api("GET", "/info", undefined, header)).body.blogs).toEqual([]);
  });
});

describe("routes", () => {
  test("an unknown path returns 404 as JSON, a wrong method 405 with Allow", async () => {
    const { api } = startPlaten();
    const unknown = await api("GET", "/nope");
    expect([unknown.status, typeof unknown.body.message]).toEqual([404, "string"]);
    for (const [method, path, allow] of [
      ["DELETE", "/posts", "GET, HEAD, POST"],
      ["POST", "/info", "GET, HEAD"],
      ["DELETE", "/attachments", "GET, HEAD, POST"],
      ["POST", "/categories", "GET, HEAD"],
      ["POST", "/posts/1", "GET, HEAD, PUT, PATCH, DELETE"],
      ["GET", "/posts/1/publish", "PATCH"],
      ["OPTIONS", "/posts", "GET, HEAD, POST"],
      ["POST", "/openapi.json", "GET, HEAD"],
      ["POST", "/../docs", "GET, HEAD"],
    ] as const) {
      const { status, headers } = await api(method, path, method === "GET" ? undefined : {});
      expect([status, headers.get("allow")?.split(", ").sort()]).toEqual([405, allow.split(", ").sort()]);
    }
  });

  test("GET /info returns the API version, the account, its blogs and the key", async () => {
    const { api } = startPlaten();
    expect((await api("GET", "/info")).body).toEqual({
      api: {
        name: "Platen",
        version: "v1",
        software_version: expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/),
      },
      account: { id: 1, name: "Ada", email: "ada@example.com" },
      blogs: [{ id: 1, title: "Ada's Blog", slug: "ada", url: "http://blog.test/", selected: true }],
      key: { name: "API key", scopes: ["read", "create", "update", "delete", "media"] },
    });
  });

  test("GET returns an ETag and 304; HEAD returns the headers of GET without a body", async () => {
    const { api } = startPlaten();
    const { body } = await api("POST", "/posts", { post: { title: "a", status: "published" } });
    for (const path of ["/info", "/posts", "/posts?limit=1", `/posts/${body.post.id}`]) {
      const first = await api("GET", path);
      const etag = first.headers.get("etag") as string;
      expect((await api("GET", path, undefined, { "if-none-match": etag })).status).toBe(304);
      expect((await api("GET", path, undefined, { "if-none-match": `W/${etag}, "x"` })).status).toBe(304);
      expect((await api("GET", path, undefined, { "if-none-match": '"x"' })).status).toBe(200);
      const head = await api("HEAD", path);
      expect([head.status, head.body]).toEqual([200, ""]);
    }
    const written = await api("PATCH", `/posts/${body.post.id}`, { post: { title: "b" } });
    expect((await api("GET", `/posts/${body.post.id}`)).headers.get("etag")).toBe(
      written.headers.get("etag"),
    );
  });
});

describe("documentation", () => {
  test("openapi.json describes every route and its fields, without a key", async () => {
    const { fetch } = startPlaten();
    const document = await (await fetch("/api/v1/openapi.json")).json();
    expect(document.openapi).toMatch(/^3\./);
    const named = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(named.sort()).toEqual(
      EVERY_ROUTE.map(
        ([method, path]) => `${method} ${path.replace("/1", "/{id}").replace(/(\w+)s\/2$/, "$1s/{$1}")}`,
      ).sort(),
    );
    const fields =
      document.paths["/posts"].post.requestBody.content["application/json"].schema.properties.post;
    expect(Object.keys(fields.properties)).toContain("alt_text");
  });

  test("/docs loads nothing from other hosts", async () => {
    const { fetch } = startPlaten();
    const page = await (await fetch("/api/docs")).text();
    expect(page).toContain("/posts/{id}/publish");
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\/(?!blog\.test)/);
    expect(page).not.toContain("<script");
  });
});
