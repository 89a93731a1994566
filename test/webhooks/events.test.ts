import { describe, expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { blogById } from "../../src/blogs/blogs";
import { posts } from "../../src/database/schema";
import { setBlocked } from "../../src/komments/blocked-words-and-hosts";
import { showKomment } from "../../src/komments/moderation";
import type { PostRow } from "../../src/posts/post/post";
import { undeletePost } from "../../src/posts/trash";
import { publishDuePosts } from "../../src/posts/writing/scheduled-posts";
import { post, write } from "../komments/forms";
import { callPlaten } from "../support/command";
import { DAY, HOUR, MINUTE, START } from "../support/platen";
import { receiver, startSending } from "../support/receiver";

const AHEAD = new Date(START.getTime() + HOUR).toISOString();
const LATER = new Date(START.getTime() + 2 * HOUR).toISOString();
const PAST = new Date(START.getTime() - DAY).toISOString();

const live = { title: "A", content: "<p>a</p>", status: "published", published_at: PAST };
const draft = { title: "A", content: "<p>a</p>", status: "draft" };
const scheduled = { title: "A", content: "<p>a</p>", status: "published", published_at: AHEAD };
const archived = { title: "A", content: "<p>a</p>", status: "archived" };

type Act = [method: string, path: string, fields?: Record<string, unknown>];
const change = (fields: Record<string, unknown>): Act => ["PATCH", "", fields];
const publish: Act = ["PATCH", "/publish"];
const unpublish: Act = ["PATCH", "/unpublish"];
const remove: Act = ["DELETE", ""];

/** Name, post before, action, and the event sent. */
const TRANSITIONS: [says: string, before: Record<string, unknown>, act: Act, hears: string | null][] = [
  ["a draft published", draft, publish, "post.published"],
  ["a draft saved as published", draft, change({ status: "published" }), "post.published"],
  ["a draft published for later", draft, change({ status: "published", published_at: AHEAD }), null],
  ["a draft saved", draft, change({ title: "B" }), null],
  ["a draft archived", draft, change({ status: "archived" }), null],
  ["a draft deleted", draft, remove, null],
  ["a live post saved with another title", live, change({ title: "B" }), "post.updated"],
  ["a live post given a summary", live, change({ summary: "Short" }), "post.updated"],
  ["a live post given tags", live, change({ tags: ["x"] }), "post.updated"],
  ["a live post given a category", live, change({ category: "News" }), "post.updated"],
  ["a live post shared", live, change({ meta: { is_shared: true } }), "post.updated"],
  ["a live post moved to another past time", live, change({ published_at: START }), "post.updated"],
  ["a live post saved without changes", live, change({ title: "A", content: "<p>a</p>" }), null],
  ["a live post published again", live, publish, null],
  ["a live post with an unknown field", live, change({ frob: 1 }), null],
  ["a live post with only komments turned off", live, change({ meta: { komments_disabled: true } }), null],
  [
    "a live post with komments turned off and another title",
    live,
    change({ title: "B", meta: { komments_disabled: true } }),
    "post.updated",
  ],
  ["a live post unpublished", live, unpublish, "post.unpublished"],
  ["a live post saved as a draft", live, change({ status: "draft" }), "post.unpublished"],
  ["a live post archived", live, change({ status: "archived" }), "post.unpublished"],
  ["a live post moved into the future", live, change({ published_at: AHEAD }), "post.unpublished"],
  ["a live post deleted", live, remove, "post.deleted"],
  ["an archived post published", archived, publish, "post.published"],
  ["an archived post made a draft", archived, change({ status: "draft" }), null],
  ["an archived post deleted", archived, remove, null],
  ["a scheduled post saved", scheduled, change({ title: "B" }), null],
  ["a scheduled post unpublished", scheduled, unpublish, null],
  ["a scheduled post deleted", scheduled, remove, null],
  ["a scheduled post moved to now", scheduled, change({ published_at: START }), "post.published"],
];

for (const type of ["post", "page"])
  test.each(TRANSITIONS)(`%s (${type})`, async (_, before, [method, path, fields], hears) => {
    const { api, addUrl, loop, pass } = startSending();
    const { url, eventNames, received } = receiver();
    const { body } = await api("POST", "/posts", { post: { ...before, type } });
    addUrl(url);
    pass(MINUTE);
    await api(method, `/posts/${body.post.id}${path}`, fields && { post: fields });
    await loop.step();
    expect(eventNames()).toEqual(hears ? [hears] : []);
    if (hears) expect(received[0]?.payload.post).toMatchObject({ id: body.post.id, type });
  });

describe("a post created", () => {
  test.each([
    ["as published", live, ["post.published"]],
    ["as a draft", draft, []],
    ["for later", scheduled, []],
    ["as archived", archived, []],
  ])("%s", async (_, post, hears) => {
    const { api, addUrl, loop } = startSending();
    const { url, eventNames } = receiver();
    addUrl(url);
    await api("POST", "/posts", { post });
    await loop.step();
    expect(eventNames()).toEqual(hears);
  });
});

describe("the payload", () => {
  test("has the documented shape for every event, with the publication time", async () => {
    const { api, addUrl, loop, pass, blog } = startSending();
    const { url, received } = receiver();
    addUrl(url);
    const { body } = await api("POST", "/posts", { post: live });
    const path = `/posts/${body.post.id}`;
    pass(MINUTE);
    await api("PATCH", path, { post: { title: "B", slug: "b" } });
    pass(MINUTE);
    await api("PATCH", path, { post: { slug: "c", published_at: AHEAD } });
    pass(MINUTE);
    await api("PATCH", path, { post: { published_at: PAST } });
    pass(MINUTE);
    await api("DELETE", path);
    await loop.step();

    const after = (minutes: number) => new Date(START.getTime() + minutes * MINUTE).toISOString();
    const expectedEvent = (event: string, minute: number, title: string, slug: string, savedAt = minute) => ({
      event,
      occurred_at: after(minute),
      blog: { id: blog.id, slug: "ada", title: "Ada's Blog" },
      post: {
        id: body.post.id,
        slug,
        title,
        type: "post",
        url: `http://blog.test/${slug}`,
        published_at: PAST,
        updated_at: after(savedAt),
      },
    });
    expect(received.map(({ payload }) => payload)).toEqual([
      expectedEvent("post.published", 0, "A", "a"),
      expectedEvent("post.updated", 1, "B", "b"),
      expectedEvent("post.unpublished", 2, "B", "c"),
      expectedEvent("post.published", 3, "B", "c"),
      expectedEvent("post.deleted", 4, "B", "c", 3),
    ]);
  });

  test("describes the post at the time of the event", async () => {
    const { api, addUrl, loop } = startSending();
    const { url, received } = receiver();
    addUrl(url);
    const { body } = await api("POST", "/posts", { post: live });
    await api("PATCH", `/posts/${body.post.id}`, { post: { title: "Later" } });
    await loop.step();
    expect(received.map(({ payload }) => payload.post.title)).toEqual(["A", "Later"]);
  });

  test("is sent only to URLs of the post's blog", async () => {
    const { platen, api, addUrl, newBlog, loop } = startSending();
    const { url, eventNames } = receiver();
    addUrl(url);
    const other = newBlog({ slug: "other" });
    await api("POST", "/posts", { blog_id: other.id, post: live });
    await loop.step();
    expect(eventNames()).toEqual([]);
    expect(blogById(platen, other.id)?.webhookSecret).toBeNull();
  });
});

test("a live post restored from the trash is published again; a draft is not", async () => {
  const { platen, blog, api, addUrl, loop } = startSending();
  const { url, eventNames } = receiver();
  addUrl(url);
  for (const post of [live, draft]) {
    const { body } = await api("POST", "/posts", { post });
    await api("DELETE", `/posts/${body.post.id}`);
    const row = platen.db
      .select()
      .from(posts)
      .all()
      .find(({ id }) => id === body.post.id);
    undeletePost(platen, blog, row as PostRow);
  }
  await loop.step();
  expect(eventNames()).toEqual(["post.published", "post.deleted", "post.published"]);
});

describe("a scheduled post", () => {
  test("is announced once when its time comes, also long after it", async () => {
    const { platen, api, addUrl, loop, pass } = startSending();
    const { url, received } = receiver();
    addUrl(url);
    await api("POST", "/posts", { post: scheduled });
    publishDuePosts(platen);
    pass(HOUR - 1);
    publishDuePosts(platen);
    await loop.step();
    expect(received).toEqual([]);

    pass(DAY);
    publishDuePosts(platen);
    publishDuePosts(platen);
    await loop.step();
    expect(received.map(({ payload }) => [payload.event, payload.post.published_at])).toEqual([
      ["post.published", AHEAD],
    ]);
    pass(DAY);
    publishDuePosts(platen);
    await loop.step();
    expect(received).toHaveLength(1);
  });

  test.each<[says: string, act: Act, then: [event: string, title: string][]]>([
    ["saved", change({ title: "B" }), [["post.updated", "B"]]],
    ["unpublished", unpublish, [["post.unpublished", "A"]]],
    ["archived", change({ status: "archived" }), [["post.unpublished", "A"]]],
    ["moved into the future", change({ published_at: LATER }), [["post.unpublished", "A"]]],
    ["deleted", remove, [["post.deleted", "A"]]],
    ["saved without changes", change({ title: "A" }), []],
  ])("%s after its time, but before its announcement, is announced once as it was", async (...row) => {
    const [, [method, path, fields], then] = row;
    const { platen, api, addUrl, loop, pass } = startSending();
    const { url, received } = receiver();
    addUrl(url);
    const { body } = await api("POST", "/posts", { post: scheduled });
    pass(HOUR);
    await api(method, `/posts/${body.post.id}${path}`, fields && { post: fields });
    publishDuePosts(platen);
    await loop.step();
    expect(received.map(({ payload }) => [payload.event, payload.post.title])).toEqual([
      ["post.published", "A"],
      ...then,
    ]);
    for (const { payload } of received) expect(payload.post.published_at).toBe(AHEAD);
  });

  test("is announced once even if a change after its time was rejected", async () => {
    const { platen, api, addUrl, loop, pass } = startSending();
    const { url, eventNames } = receiver();
    addUrl(url);
    const { body } = await api("POST", "/posts", { post: scheduled });
    pass(HOUR);
    const refused = await api("PATCH", `/posts/${body.post.id}`, { post: { title: "", content: "" } });
    expect(refused.status).toBe(422);
    await loop.step();
    expect(eventNames()).toEqual([]);
    publishDuePosts(platen);
    await loop.step();
    expect(eventNames()).toEqual(["post.published"]);
  });

  test("is not announced if it was deleted before; several due posts are announced in order", async () => {
    const { platen, api, addUrl, loop, pass } = startSending();
    const { url, received } = receiver();
    addUrl(url);
    const gone = await api("POST", "/posts", { post: scheduled });
    await api("DELETE", `/posts/${gone.body.post.id}`);
    for (const minute of [3, 1, 2])
      await api("POST", "/posts", {
        post: {
          ...scheduled,
          title: String(minute),
          published_at: new Date(START.getTime() + minute * MINUTE),
        },
      });
    pass(DAY);
    publishDuePosts(platen);
    await loop.step();
    expect(received.map(({ payload }) => payload.post.title)).toEqual(["1", "2", "3"]);
  });
});

test("a blog without URLs stores no events; a new URL gets later ones only", async () => {
  const { platen, api, addUrl, loop, pass } = startSending();
  const { url, eventNames } = receiver();
  const { body } = await api("POST", "/posts", { post: live });
  await api("POST", "/posts", { post: scheduled });
  pass(DAY);
  publishDuePosts(platen);
  expect(platen.db.$client.query("SELECT count(*) AS n FROM events").get()).toEqual({ n: 0 });
  addUrl(url);
  publishDuePosts(platen);
  await api("PATCH", `/posts/${body.post.id}`, { post: { title: "B" } });
  await loop.step();
  expect(eventNames()).toEqual(["post.updated"]);
});

test("a rejected or repeated request sends no further event", async () => {
  const { api, addUrl, loop } = startSending();
  const { url, eventNames } = receiver();
  addUrl(url);
  const key = { "idempotency-key": "k" };
  await api("POST", "/posts", { post: live }, key);
  await api("POST", "/posts", { post: live }, key);
  await api("POST", "/posts", { post: { ...live, title: 7 } });
  await api("PATCH", "/posts/1", { post: { title: "B" } }, { "if-match": '"other"' });
  await loop.step();
  expect(eventNames()).toEqual(["post.published"]);
});

describe("komment.created", () => {
  test("is sent if the blog chose so, with the komment's status and without an e-mail address", async () => {
    const at = startSending();
    const { url, received, eventNames } = receiver();
    at.addUrl(url);
    const { id } = await post(at);
    await write(at);
    await at.loop.step();
    expect(eventNames()).toEqual(["post.published"]);

    const { data } = at.platen.config;
    const set = await callPlaten(["blog", "set", "ada", "--komment-events", "on", "--data", data]);
    expect(set.code).toBe(0);
    await write(at, { text: "Well *said*.", address: "grace@example.com" });
    await write(at, { text: "buy pills", address: "example.com" });
    await at.loop.step();
    expect(eventNames()).toEqual(["post.published", "komment.created", "komment.created"]);
    const [, first, second] = received.map(({ payload }) => payload);
    expect(first.post).toMatchObject({ id, slug: "tea", url: "http://blog.test/tea" });
    expect(first.komment).toEqual({
      ...{ id: 2, status: "waiting", name: "Grace", text: "Well *said*." },
      html: "<p>Well <em>said</em>.</p>",
      ...{ website: null, origin: "form", origin_url: null },
    });
    expect(second.komment.website).toBe("https://example.com/");
    expect(received.map(({ body }) => body).join()).not.toContain("grace@example.com");
  });

  test("is not sent for a komment that the block list rejects, nor when one is approved", async () => {
    const at = startSending();
    const { url, eventNames } = receiver();
    at.addUrl(url);
    configureBlog(at.platen, at.blog, { kommentEvents: true });
    setBlocked(at.platen, at.blog, "pills");
    await post(at);
    await write(at, { text: "buy pills" });
    await write(at);
    await at.loop.step();
    showKomment(at.platen, 2);
    await at.loop.step();
    expect(eventNames()).toEqual(["post.published", "komment.created"]);
  });
});
