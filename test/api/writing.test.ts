import { describe, expect, test } from "bun:test";
import { posts } from "../../src/database/schema";
import { DAY, HOUR, START, startPlaten } from "../support/platen";

describe("creating a post", () => {
  test("returns 201 with the whole post, its Location and its ETag", async () => {
    const { api } = startPlaten();
    const { status, headers, body } = await api("POST", "/posts", {
      post: { title: "Hello", content: "<p>First words.</p>", status: "published" },
    });
    expect(status).toBe(201);
    expect(headers.get("etag")).toMatch(/^"[\w-]+"$/);
    expect(headers.get("location")).toBe(`http://blog.test/api/v1/posts/${body.post.id}`);
    expect(body.post).toEqual({
      id: body.post.id,
      title: "Hello",
      slug: "hello",
      summary: null,
      series: null,
      language: null,
      translation_of: null,
      pinned: false,
      status: "published",
      type: "post",
      published_at: START.toISOString(),
      created_at: START.toISOString(),
      updated_at: START.toISOString(),
      url: "http://blog.test/hello",
      blog: { id: 1, title: "Ada's Blog", slug: "ada" },
      category: null,
      tags: [],
      meta: {
        hidden: false,
        hide_in_rss: false,
        no_index_no_follow: false,
        show_contact_form: false,
        komments_disabled: false,
        archived: false,
        skip_archive: false,
        is_shared: false,
        share_id: null,
      },
      newsletter: "none",
      syndication: [],
      preview_image: null,
      content: { html: "<p>First words.</p>", text: "First words." },
      attachments: [],
    });
  });

  test("without a status creates a draft, which has no publication time", async () => {
    const { api } = startPlaten();
    const { body } = await api("POST", "/posts", { post: { title: "Later" } });
    expect(body.post).toMatchObject({ status: "draft", published_at: null });
  });

  test("accepts every documented field", async () => {
    const { api } = startPlaten();
    const { body } = await api("POST", "/posts", {
      post: {
        title: "About",
        content: "*Hi*",
        content_type: "markdown",
        slug: "About Me!",
        type: "page",
        status: "published",
        published_at: "2026-02-01T10:00:00+0100",
        category: "Meta",
        tags: ["One", "two", "one"],
        meta: { hidden: true, hide_in_rss: true, is_shared: true, archived: true },
      },
    });
    expect(body.post).toMatchObject({
      slug: "about-me",
      type: "page",
      published_at: "2026-02-01T09:00:00.000Z",
      category: { name: "Meta", slug: "meta" },
      content: { html: expect.stringContaining("<em>Hi</em>"), text: "Hi" },
      meta: { hidden: true, hide_in_rss: true, is_shared: true, archived: false },
    });
    expect(body.post.tags).toHaveLength(2);
    expect(body.post.meta.share_id).toMatch(/^[\w-]{16,}$/);
  });

  test("with a future time schedules it: status is published, but it is not live until then", async () => {
    const { api, fetch, pass } = startPlaten();
    const { body } = await api("POST", "/posts", {
      post: {
        title: "Soon",
        status: "published",
        published_at: new Date(START.getTime() + HOUR).toISOString(),
      },
    });
    expect(body.post.status).toBe("published");
    expect((await api("GET", "/posts")).body.pagination.total).toBe(0);
    expect((await api("GET", "/posts?status=scheduled")).body.posts).toHaveLength(1);
    expect((await fetch("/soon")).status).toBe(404);
    pass(HOUR);
    expect((await api("GET", "/posts")).body.pagination.total).toBe(1);
    expect((await api("GET", "/posts?status=scheduled")).body.posts).toHaveLength(0);
    expect((await fetch("/soon")).status).toBe(200);
  });

  test("two posts with one title get different slugs, and a reserved slug gets a suffix", async () => {
    const { api } = startPlaten();
    const slugOf = async (title: string) => (await api("POST", "/posts", { post: { title } })).body.post.slug;
    expect([await slugOf("Twins"), await slugOf("Twins"), await slugOf("Twins")]).toEqual([
      "twins",
      "twins-2",
      "twins-3",
    ]);
    expect(await slugOf("Admin")).toBe("admin-2");
  });

  test("a post without a title gets a slug from its first words, or from the date", async () => {
    const { api } = startPlaten();
    const note = await api("POST", "/posts", { post: { content: "<p>Saw a heron today</p>" } });
    expect(note.body.post.slug).toBe("saw-a-heron-today");
    const sign = await api("POST", "/posts", { post: { content: "<p>🎉</p>" } });
    expect(sign.body.post.slug).toMatch(/^[a-z0-9-]+$/);
  });

  const refused: [string, unknown, string][] = [
    ["neither title nor content", { post: { title: " ", content: "<p> </p>" } }, "content"],
    ["only invisible characters", { post: { title: "\u200b", content: "<p>&#8203;&nbsp;</p>" } }, "content"],
    ["a blog_id that is a numeric string", { blog_id: "1", post: { title: "a" } }, "blog_id"],
    ["a category_id that is a numeric string", { post: { title: "a", category_id: "1" } }, "category_id"],
    [
      "a time past the year 9999",
      { post: { title: "a", published_at: "9999-12-31T23:59:59-12:00" } },
      "published_at",
    ],
    ["an empty post", { post: {} }, "content"],
    ["no post", {}, "post"],
    ["a title that is a number", { post: { title: 7 } }, "title"],
    ["a title that is null", { post: { title: null } }, "title"],
    ["a title of 501 characters", { post: { title: "é".repeat(501) } }, "title"],
    ["a summary of 501 characters", { post: { title: "a", summary: "é".repeat(501) } }, "summary"],
    ["a summary that is a number", { post: { title: "a", summary: 7 } }, "summary"],
    ["pinned that is a string", { post: { title: "a", pinned: "yes" } }, "pinned"],
    ["a slug of 201 characters", { post: { title: "a", slug: "b".repeat(201) } }, "slug"],
    ["a slug of punctuation", { post: { title: "a", slug: "!!!" } }, "slug"],
    ["content of more than 1 MB", { post: { content: "é".repeat(500_001) } }, "content"],
    ["an unknown content_type", { post: { title: "a", content_type: "textile" } }, "content_type"],
    ["an unknown status", { post: { title: "a", status: "live" } }, "status"],
    ["an unknown type", { post: { title: "a", type: "note" } }, "type"],
    ["an invalid time", { post: { title: "a", published_at: "tomorrow" } }, "published_at"],
    ["an invalid date", { post: { title: "a", published_at: "2026-02-30" } }, "published_at"],
    ["an unknown category_id", { post: { title: "a", category_id: 99 } }, "category_id"],
    ["tags that are not a list", { post: { title: "a", tags: "one,two" } }, "tags"],
    ["tags that are not strings", { post: { title: "a", tags: [1] } }, "tags"],
    ["alt_text that is a string", { post: { title: "a", alt_text: "cat" } }, "alt_text"],
    ["a flag that is a string", { post: { title: "a", meta: { hidden: "yes" } } }, "meta.hidden"],
    ["a blog_id that is a string", { blog_id: "one", post: { title: "a" } }, "blog_id"],
  ];
  test.each(refused)("%s returns 422 naming the field", async (_what, sent, field) => {
    const { api } = startPlaten();
    const { status, body } = await api("POST", "/posts", sent);
    expect(status).toBe(422);
    expect(body.message).toBeString();
    expect(Object.keys(body.errors)).toContain(field);
    expect(body.errors[field][0]).toBeString();
    expect((await api("GET", "/posts?status=all")).body.pagination.total).toBe(0);
  });

  test("text that is not UTF-8 is rejected, and a byte order mark is ignored", async () => {
    const { fetch, key } = startPlaten();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const send = async (path: string, body: Buffer) => {
      const response = await fetch(path, { method: "POST", headers, body: new Uint8Array(body) });
      return [response.status, await response.json()];
    };
    const latin1 = Buffer.from('{"post":{"title":"Käse"}}', "latin1");
    const message = "The request body is not encoded as UTF-8.";
    expect(await send("/api/v1/posts", latin1)).toEqual([400, { message }]);
    expect(await send("/micropub", latin1)).toEqual([
      400,
      { error: "invalid_request", error_description: message },
    ]);
    const marked = await send("/api/v1/posts", Buffer.from('\uFEFF{"post":{"title":"Käse"}}'));
    expect(marked).toMatchObject([201, { post: { title: "Käse" } }]);
  });

  test("errors say what to send instead", async () => {
    const { api } = startPlaten();
    const messageFor = async (path: string, ...sent: unknown[]) =>
      (await api(sent.length ? "POST" : "GET", path, ...sent)).body.message;
    expect(await messageFor("/posts", { title: "Hello" })).toBe(
      'post is missing. Put the fields inside it, as in {"post": {"title": "Hello"}}.',
    );
    expect(await messageFor("/posts", { post: { title: "a", status: "live" } })).toBe(
      "status must be published, draft or archived.",
    );
    expect(await messageFor("/posts", { post: { title: "a", tags: "one" } })).toBe(
      "tags must be a list of strings.",
    );
    expect(await messageFor("/posts", { post: { title: "a", tags: [1] } })).toBe(
      "tags must contain only strings.",
    );
    expect(await messageFor("/posts", { post: { title: "a", alt_text: { "cat.jpg": null } } })).toBe(
      "alt_text must be an object of strings or a list of objects with filename and alt.",
    );
    expect(await messageFor("/posts", "")).toBe("The request body is empty. Send JSON.");
    expect(await messageFor("/posts?updated_since=2026-01-01")).toBe(
      "updated_since must be ISO 8601 with an offset, like 2026-03-01T09:00:00Z.",
    );
  });

  test("a title of exactly 500 characters is accepted; an emoji counts as one", async () => {
    const { api } = startPlaten();
    expect((await api("POST", "/posts", { post: { title: "🎉".repeat(500) } })).status).toBe(201);
  });

  test("invalid JSON returns 400, a body over 10 MB 413", async () => {
    const { api } = startPlaten();
    expect((await api("POST", "/posts", "{nope")).status).toBe(400);
    expect((await api("POST", "/posts", "")).status).toBe(400);
    expect((await api("POST", "/posts", `{"post":{"title":"${"x".repeat(10 * 1024 * 1024)}"}}`)).status).toBe(
      413,
    );
  });

  test("the body is read as JSON whatever its Content-Type", async () => {
    const { api } = startPlaten();
    const sent = await api("POST", "/posts", { post: { title: "a" } }, { "content-type": "text/plain" });
    expect(sent.status).toBe(201);
  });

  test("a category is found by name without regard to case, or created", async () => {
    const { api } = startPlaten();
    const first = await api("POST", "/posts", { post: { title: "a", category: "Été" } });
    const second = await api("POST", "/posts", { post: { title: "b", category: "été" } });
    expect(second.body.post.category).toEqual(first.body.post.category);
    const third = await api("POST", "/posts", {
      post: { title: "c", category_id: first.body.post.category.id },
    });
    expect(third.body.post.category.name).toBe("Été");
  });
});

describe("changing a post", () => {
  const created = async (fields: object = {}) => {
    const started = startPlaten();
    const { body, headers } = await started.api("POST", "/posts", {
      post: {
        title: "One",
        content: "<p>Body.</p>",
        status: "published",
        category: "Cats",
        tags: ["t"],
        ...fields,
      },
    });
    return {
      ...started,
      post: body.post,
      etag: headers.get("etag") as string,
      path: `/posts/${body.post.id}`,
    };
  };

  test.each(["PUT", "PATCH"])("%s changes the fields sent and keeps the others", async (method) => {
    const { api, path, post, pass } = await created();
    pass(HOUR);
    const { status, body } = await api(method, path, { post: { title: "Two" } });
    expect(status).toBe(200);
    expect(body.post).toEqual({
      ...post,
      title: "Two",
      updated_at: new Date(START.getTime() + HOUR).toISOString(),
    });
  });

  test("a save that changes nothing keeps updated_at", async () => {
    const { api, path, post, etag, pass } = await created({
      content: "Some *words*",
      content_type: "markdown",
    });
    pass(HOUR);
    for (const fields of [
      {},
      { title: "One" },
      { content: "Some *words*", content_type: "markdown" },
      { content: post.content.html },
      { category: "cats", tags: ["t"], meta: { hidden: false }, status: "published", slug: "one" },
    ]) {
      const { body, headers } = await api("PATCH", path, { post: fields });
      expect(body.post).toEqual(post);
      expect(headers.get("etag")).toBe(etag);
    }
  });

  test("summary and pinned are stored, returned and cleared", async () => {
    const { api, path, post, etag, pass } = await created({ summary: " Short\n words ", pinned: true });
    expect(post).toMatchObject({ summary: "Short words", pinned: true });
    expect((await api("GET", "/posts")).body.posts[0]).toMatchObject({
      summary: "Short words",
      pinned: true,
    });
    pass(HOUR);
    const same = await api("PATCH", path, { post: { summary: "Short words", pinned: true } });
    expect([same.body.post, same.headers.get("etag")]).toEqual([post, etag]);
    const other = await api("PATCH", path, { post: { summary: "Others" } });
    expect(other.body.post).toMatchObject({
      summary: "Others",
      updated_at: new Date(START.getTime() + HOUR).toISOString(),
    });
    expect(other.headers.get("etag")).not.toBe(etag);
    const cleared = await api("PATCH", path, { post: { summary: null, pinned: false } });
    expect(cleared.body.post).toMatchObject({ summary: null, pinned: false });
    expect((await api("PATCH", path, { post: { summary: " " } })).body.post.summary).toBeNull();
    expect((await api("PATCH", path, { post: { summary: "🎉".repeat(500) } })).status).toBe(200);
  });

  test("category: null and category_id: null clear the category", async () => {
    for (const cleared of [{ category: null }, { category_id: null }, { category: "" }]) {
      const { api, path } = await created();
      expect((await api("PATCH", path, { post: cleared })).body.post.category).toBeNull();
    }
  });

  test("a new slug moves the post, and its old URL redirects", async () => {
    const { api, path, fetch } = await created();
    expect((await api("PATCH", path, { post: { slug: "uno" } })).body.post.url).toBe("http://blog.test/uno");
    const moved = await fetch("/one");
    expect([moved.status, moved.headers.get("location")]).toEqual([301, "http://blog.test/uno"]);
    await api("POST", "/posts", { post: { title: "One", content: "new", status: "published" } });
    expect((await fetch("/one")).status).toBe(200);
  });

  test("If-Match allows a change only if the post is unchanged since it was read", async () => {
    const { api, path, etag } = await created();
    for (const compressed of [`W/${etag}`, etag.replace(/"$/, '-gzip"')])
      expect((await api("PATCH", path, { post: {} }, { "if-match": compressed })).status).toBe(200);
    const stale = await api("PATCH", path, { post: { title: "x" } }, { "if-match": '"other"' });
    expect([stale.status, stale.body.message.length > 20]).toEqual([412, true]);
    expect((await api("PATCH", path, { post: { title: "Two" } }, { "if-match": etag })).status).toBe(200);
    expect((await api("PATCH", path, { post: { title: "Three" } }, { "if-match": etag })).status).toBe(412);
    expect((await api("DELETE", path, undefined, { "if-match": etag })).status).toBe(412);
    expect((await api("PATCH", `${path}/unpublish`, undefined, { "if-match": etag })).status).toBe(412);
    expect((await api("PATCH", path, { post: { title: "Four" } }, { "if-match": "*" })).status).toBe(200);
  });

  test("meta.is_shared creates a share_id and removes it", async () => {
    const { api, path } = await created();
    const shared = (await api("PATCH", path, { post: { meta: { is_shared: true } } })).body.post.meta;
    expect([shared.is_shared, typeof shared.share_id]).toEqual([true, "string"]);
    const again = (await api("PATCH", path, { post: { meta: { is_shared: true } } })).body.post.meta;
    expect(again.share_id).toBe(shared.share_id);
    const unshared = (await api("PATCH", path, { post: { meta: { is_shared: false } } })).body.post.meta;
    expect(unshared).toMatchObject({ is_shared: false, share_id: null });
  });

  test("every save that changes a post adds a revision; content is stored only if it changed", async () => {
    const { api, path, platen } = await created();
    await api("PATCH", path, { post: { title: "Two" } });
    await api("PATCH", path, { post: { title: "Two" } });
    await api("PATCH", path, { post: { content: "<p>Other.</p>" } });
    const storedRevisions = platen.db.$client.query("SELECT fields FROM revisions ORDER BY id").all() as {
      fields: string;
    }[];
    expect(
      storedRevisions.map((row) => JSON.parse(row.fields)).map(({ title, source }) => [title, source]),
    ).toEqual([
      ["One", undefined],
      ["Two", "<p>Body.</p>"],
    ]);
  });

  test("a save without content does not write the content again", async () => {
    const { api, path, platen } = await created();
    platen.db.run(
      "CREATE TRIGGER untouched BEFORE INSERT ON contents BEGIN SELECT raise(ABORT, 'written'); END",
    );
    for (const post of [
      { title: "Two" },
      { tags: ["a"] },
      { slug: "b" },
      { content: "<p>Body.</p>" },
      { alt_text: {} },
    ])
      expect((await api("PATCH", path, { post })).status).toBe(200);
    expect((await api("PATCH", `${path}/publish`)).body.post.content.text).toBe("Body.");
    expect((await api("GET", `${path}?include_source=true`)).body.post.content.source).toBe("<p>Body.</p>");
  });

  test("excerpt, content size and ETag change with the content", async () => {
    const { api, path, platen } = await created();
    const before = await api("GET", path);
    platen.db.update(posts).set({ excerpt: null, htmlBytes: 0, sourceBytes: 0 }).run();
    const after = await api("PATCH", path, { post: { content: "Some *thing*.", content_type: "markdown" } });
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
    expect(platen.db.select().from(posts).get()).toMatchObject({
      excerpt: "Some thing.",
      htmlBytes: "<p>Some <em>thing</em>.</p>\n".length,
      sourceBytes: "Some *thing*.".length,
    });
  });
});

describe("states", () => {
  const verbs: [from: object, verb: string, to: object][] = [
    [{ status: "draft" }, "publish", { status: "published", published_at: START.toISOString() }],
    [
      { status: "draft", published_at: "2026-01-01T00:00:00Z" },
      "publish",
      { status: "published", published_at: "2026-01-01T00:00:00.000Z" },
    ],
    [
      { status: "draft", published_at: "2027-01-01T00:00:00Z" },
      "publish",
      { status: "published", published_at: "2027-01-01T00:00:00.000Z" },
    ],
    [{ status: "published" }, "publish", { status: "published", published_at: START.toISOString() }],
    [{ status: "archived" }, "publish", { status: "published" }],
    [{ status: "published" }, "unpublish", { status: "draft", published_at: START.toISOString() }],
    [{ status: "draft" }, "unpublish", { status: "draft" }],
    [{ status: "archived" }, "unpublish", { status: "draft" }],
  ];
  test.each(verbs)("%j, then %s, is %j", async (from, verb, to) => {
    const { api } = startPlaten();
    const { body } = await api("POST", "/posts", { post: { title: "a", ...from } });
    const answer = await api("PATCH", `/posts/${body.post.id}/${verb}`);
    expect(answer.status).toBe(200);
    expect(answer.body.post).toMatchObject(to);
  });

  test("an archived post is only in its own list, has no page, and meta.archived is true", async () => {
    const { api, fetch } = startPlaten();
    const { body } = await api("POST", "/posts", {
      post: { title: "Gone", content: "x", status: "published" },
    });
    const archived = await api("PATCH", `/posts/${body.post.id}`, { post: { status: "archived" } });
    expect(archived.body.post).toMatchObject({ status: "archived", meta: { archived: true } });
    expect((await fetch("/gone")).status).toBe(404);
    expect((await api("GET", "/posts")).body.posts).toEqual([]);
    expect((await api("GET", "/posts?status=archived")).body.posts).toHaveLength(1);
    const back = await api("PATCH", `/posts/${body.post.id}`, { post: { status: "published" } });
    expect(back.body.post.meta.archived).toBe(false);
    expect((await fetch("/gone")).status).toBe(200);
  });

  test("DELETE returns 204 without a body; the post is nowhere and its slug is free", async () => {
    const { api, fetch } = startPlaten();
    const { body } = await api("POST", "/posts", {
      post: { title: "Gone", content: "xyzzy", status: "published" },
    });
    const deleted = await api("DELETE", `/posts/${body.post.id}`);
    expect([deleted.status, deleted.body]).toEqual([204, ""]);
    expect((await api("GET", `/posts/${body.post.id}`)).status).toBe(404);
    expect((await api("DELETE", `/posts/${body.post.id}`)).status).toBe(404);
    expect((await api("GET", "/posts?status=all")).body.pagination.total).toBe(0);
    expect((await api("GET", "/posts?search=xyzzy")).body.posts).toEqual([]);
    expect((await fetch("/gone")).status).toBe(404);
    expect((await api("POST", "/posts", { post: { title: "Gone" } })).body.post.slug).toBe("gone");
  });
});

describe("Idempotency-Key", () => {
  test("must have 1 to 255 characters", async () => {
    const { api } = startPlaten();
    const post = (key: string) => api("POST", "/posts", { post: { title: "A" } }, { "idempotency-key": key });
    for (const key of [" ", "k".repeat(256)]) {
      const { status, body } = await post(key);
      expect([status, body.errors]).toEqual([
        400,
        { "Idempotency-Key": ["must be 1 to 255 characters long"] },
      ]);
    }
    expect((await post("k".repeat(255))).status).toBe(201);
  });

  test("returns the first response to a repeat, for 24 hours", async () => {
    const { api, pass } = startPlaten();
    const header = { "idempotency-key": "abc" };
    const first = await api("POST", "/posts", { post: { title: "Once" } }, header);
    const second = await api("POST", "/posts", { post: { title: "Once" } }, header);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("location")).toBe(first.headers.get("location"));
    expect(second.status).toBe(201);
    expect((await api("GET", "/posts?status=all")).body.pagination.total).toBe(1);
    pass(DAY);
    expect((await api("POST", "/posts", { post: { title: "Once" } }, header)).body.post.slug).toBe("once-2");
  });

  test("is valid for one API key and one request only", async () => {
    const { api, newKey } = startPlaten();
    const header = { "idempotency-key": "abc" };
    await api("POST", "/posts", { post: { title: "Once" } }, header);
    expect((await api("POST", "/posts", { post: { title: "Other" } }, header)).status).toBe(422);
    const other = { ...header, authorization: `Bearer ${newKey()}` };
    expect((await api("POST", "/posts", { post: { title: "Once" } }, other)).body.post.slug).toBe("once-2");
  });

  test("does not store an error: the repeat runs again", async () => {
    const { api } = startPlaten();
    const header = { "idempotency-key": "abc" };
    expect((await api("POST", "/posts", { post: {} }, header)).status).toBe(422);
    expect((await api("POST", "/posts", { post: { title: "Now" } }, header)).status).toBe(201);
  });

  test("works for updates, publishing and deletion too", async () => {
    const { api } = startPlaten();
    const { body } = await api("POST", "/posts", { post: { title: "a" } });
    const path = `/posts/${body.post.id}`;
    const published = await api("PATCH", `${path}/publish`, undefined, { "idempotency-key": "p" });
    await api("PATCH", `${path}/unpublish`);
    expect((await api("PATCH", `${path}/publish`, undefined, { "idempotency-key": "p" })).body).toEqual(
      published.body,
    );
    expect((await api("GET", path)).body.post.status).toBe("draft");
    expect((await api("DELETE", path, undefined, { "idempotency-key": "d" })).status).toBe(204);
    expect((await api("DELETE", path, undefined, { "idempotency-key": "d" })).status).toBe(204);
  });
});

describe("unknown fields", () => {
  test("next to post are named in warnings, such as blogid", async () => {
    const { api } = startPlaten();
    const { body } = await api("POST", "/posts", { blogid: 2, post: { title: "A" } });
    expect(body.warnings).toEqual(["blogid was ignored: it is not a writable field of a post."]);
  });

  test("inside post and meta are named in warnings; the other fields are saved", async () => {
    const { api } = startPlaten();
    const sent = { title: "a", subtitle: "b", meta: { hidden: true, pinned: true } };
    for (const [method, path, status] of [
      ["POST", "/posts", 201],
      ["PATCH", "/posts/1", 200],
      ["PUT", "/posts/1", 200],
    ] as const) {
      const { body, ...answer } = await api(method, path, { post: sent });
      expect([method, answer.status, body.post.id, body.post.meta.hidden]).toEqual([method, status, 1, true]);
      expect(body.warnings.map((warning: string) => warning.split(" ")[0])).toEqual([
        "subtitle",
        "meta.pinned",
      ]);
    }
    const known = await api("PATCH", "/posts/1", { post: { title: "b", blog_id: 1 } });
    expect(known.body).not.toHaveProperty("warnings");
  });

  test("read-only fields sent back from a response are ignored without a warning", async () => {
    const { api } = startPlaten();
    const first = { title: "a", content: "<p>b</p>", meta: { is_shared: true } };
    const { post } = (await api("POST", "/posts", { post: first })).body;
    const shown = {
      ...post,
      id: 7,
      url: "https://elsewhere.example/",
      content: post.content.html,
      category: null,
    };
    for (const [method, path, id] of [
      ["POST", "/posts", 2],
      ["PATCH", "/posts/1", 1],
    ] as const) {
      const { body } = await api(method, path, { post: { ...shown, title: method } });
      expect(body).not.toHaveProperty("warnings");
      const { slug } = body.post;
      expect(body.post).toMatchObject({ id, title: method, url: `http://blog.test/${slug}` });
    }
  });

  test("are named up to a limit", async () => {
    const { api } = startPlaten();
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`.repeat(99), 1]));
    const { body } = await api("POST", "/posts", { post: { title: "a", ...many } });
    expect(body.warnings).toHaveLength(21);
    expect(body.warnings.join("").length).toBeLessThan(5000);
    expect(body.warnings.at(-1)).toContain("980");
  });
});

test("blog_id is accepted inside post; the one outside takes precedence", async () => {
  const platen = startPlaten();
  const { id } = platen.newBlog({ title: "Second" });
  const made = await platen.api("POST", "/posts", { post: { title: "a", blog_id: id } });
  expect([made.status, made.body.post.blog.id]).toEqual([201, id]);
  expect(made.body).not.toHaveProperty("warnings");
  const withBoth = await platen.api("POST", "/posts", { blog_id: 1, post: { title: "b", blog_id: id } });
  expect(withBoth.body.post.blog.id).toBe(1);
  const path = `/posts/${made.body.post.id}`;
  expect((await platen.api("PATCH", path, { post: { title: "c", blog_id: 1 } })).status).toBe(404);
  expect((await platen.api("PATCH", path, { post: { title: "c", blog_id: id } })).status).toBe(200);
  expect((await platen.api("POST", "/posts", { post: { title: "d", blog_id: 99 } })).status).toBe(404);
  const wrong = await platen.api("POST", "/posts", { post: { title: "d", blog_id: "2" } });
  expect([wrong.status, Object.keys(wrong.body.errors)]).toEqual([422, ["blog_id"]]);
});
