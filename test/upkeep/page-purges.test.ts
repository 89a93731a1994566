import { expect, test } from "bun:test";
import { changeAccount } from "../../src/accounts/accounts";
import { moveBlog } from "../../src/blogs/blog-addresses";
import { configureBlog } from "../../src/blogs/blog-settings";
import { readSettings } from "../../src/config/config";
import { listKomments } from "../../src/komments/komment-list";
import { refuseKomment, showKomment } from "../../src/komments/moderation";
import { writeKomment } from "../../src/komments/writing-and-importing-komments";
import { receiveMessage } from "../../src/messages";
import { guardedClient } from "../../src/outgoing/guarded-client";
import type { Post } from "../../src/posts/post/post";
import { postAtSlug } from "../../src/posts/reading/finding-posts";
import { publishDuePosts } from "../../src/posts/writing/scheduled-posts";
import { cdnPurges } from "../../src/upkeep/cdn-purges";
import { diagnose } from "../../src/upkeep/doctor";
import { removeBlog } from "../../src/upkeep/removal/removal";
import { DAY, MINUTE, SECOND, startPlaten } from "../support/platen";
import { runPlaten, startServer } from "../support/program";
import { receiver } from "../support/receiver";

const READER = { name: "Jun", address: "", text: "Very good." };

/** A Platen with a live post and a cache that has been purged of all changes. */
async function startPurging() {
  const cache = receiver();
  const purge = { url: cache.url, header: { name: "AccessKey", value: "a secret" } };
  const at = startPlaten({ purge, privateHosts: ["127.0.0.1"], webhookRetry: [5 * SECOND, 5 * MINUTE] });
  const purges = cdnPurges(at.platen, guardedClient(at.platen.config));
  const step = async () => {
    purges.step();
    await purges.settled();
  };
  const post = async (fields: object) => (await at.api("POST", "/posts", { post: fields })).body.post;
  const meta = { show_contact_form: true };
  const live = await post({ title: "Tea", slug: "tea", content: "<p>Green</p>", status: "published", meta });
  await step();
  cache.received.length = 0;
  /** Hosts named by each request since the last call. */
  const purgedHosts = async () => {
    await step();
    return cache.received.splice(0).map(({ payload }) => payload.hosts);
  };
  const livePost = () => postAtSlug(at.platen, at.blog, "tea") as Post;
  const change = (fields: object) => at.api("PATCH", `/posts/${live.id}`, { post: fields });
  return { ...at, cache, purges, purgedHosts, post, live, livePost, change };
}

test("changed pages are purged once, with host and secret header", async () => {
  const at = await startPurging();
  await at.change({ content: "<p>Black</p>" });
  await at.change({ title: "Black tea" });
  await at.purges.settled();
  at.purges.step();
  await at.purges.settled();
  expect(at.cache.received).toHaveLength(1);
  const [{ headers, payload } = { headers: new Headers(), payload: null }] = at.cache.received;
  expect(payload).toEqual({ hosts: ["blog.test"] });
  expect(headers.get("accesskey")).toBe("a secret");
  expect(headers.get("user-agent")).toMatch(/^Platen\/\d/);
  expect(headers.get("content-type")).toBe("application/json");
  at.cache.received.length = 0;
  expect(await at.purgedHosts()).toEqual([]);
});

const CHANGES: Record<string, (at: Awaited<ReturnType<typeof startPurging>>) => unknown> = {
  "publishing a post": (at) => at.post({ title: "New", status: "published" }),
  "changing a text": (at) => at.change({ content: "<p>Black</p>" }),
  "adding a tag": (at) => at.change({ tags: ["Leaves"] }),
  "archiving a post": (at) => at.change({ status: "archived" }),
  "deleting a post": (at) => at.api("DELETE", `/posts/${at.live.id}`),
  "choosing a theme": (at) => configureBlog(at.platen, at.blog, { theme: "photo" }),
  "changing an author's name": (at) => changeAccount(at.platen, at.account, { name: "Ada L." }),
  async "a komment that is approved"(at) {
    await writeKomment(at.platen, at.livePost(), READER, "secret");
    expect(await at.purgedHosts()).toEqual([]);
    showKomment(at.platen, listKomments(at.platen)[0]?.id as number);
  },
  async "a scheduled post whose time has come"(at) {
    const published_at = new Date(at.platen.now().getTime() + DAY).toISOString();
    await at.post({ title: "Tomorrow", status: "published", published_at });
    expect(await at.purgedHosts()).toEqual([]);
    at.pass(DAY);
    publishDuePosts(at.platen);
  },
};

test.each(Object.keys(CHANGES))("caches are purged after %s", async (name) => {
  const at = await startPurging();
  await CHANGES[name]?.(at);
  expect(await at.purgedHosts()).toEqual([["blog.test"]]);
  expect(await at.purgedHosts()).toEqual([]);
});

test("drafts, pending komments, messages, keys and views purge nothing", async () => {
  const at = await startPurging();
  const draft = await at.post({
    title: "Draft",
    content: "<p>Not yet</p>",
    tags: ["Secret"],
    status: "draft",
  });
  await at.api("PATCH", `/posts/${draft.id}`, { post: { content: "<p>Soon</p>" } });
  await at.api("DELETE", `/posts/${draft.id}`);
  await writeKomment(at.platen, at.livePost(), READER, "secret");
  refuseKomment(at.platen, listKomments(at.platen)[0]?.id as number);
  receiveMessage(at.platen, at.livePost(), READER);
  at.newKey();
  configureBlog(at.platen, at.blog, { title: at.blog.title });
  await at.fetch("/tea");
  expect(await at.purgedHosts()).toEqual([]);
});

test("a moved or removed blog is purged at its old host", async () => {
  const at = await startPurging();
  const second = at.newBlog({ title: "Second", slug: "second" });
  expect(await at.purgedHosts()).toEqual([["blog.test"]]);
  configureBlog(at.platen, at.blog, { theme: "sans" });
  configureBlog(at.platen, second, { theme: "sans" });
  expect(await at.purgedHosts()).toEqual([["blog.test"]]);
  moveBlog(at.platen, second, { domain: "second.example" });
  expect(await at.purgedHosts()).toEqual([["blog.test", "second.example"]]);
  moveBlog(at.platen, { ...second, domain: "second.example" }, { domain: "other.example" });
  expect(await at.purgedHosts()).toEqual([["other.example", "second.example"]]);
  await removeBlog(at.platen, { ...second, domain: "other.example" });
  expect(await at.purgedHosts()).toEqual([["other.example"]]);
});

test("a failed request is repeated at the intervals of webhooks, with later changes", async () => {
  const at = await startPurging();
  const second = at.newBlog({ title: "Second", slug: "second", domain: "second.example" });
  await at.purgedHosts();
  at.cache.respondWith(() => new Response("no", { status: 503 }));
  await at.change({ title: "Black tea" });
  expect(await at.purgedHosts()).toEqual([["blog.test"]]);
  expect(at.log.join()).toContain("The purge of PLATEN_PURGE_URL failed and will be retried: status 503.");
  configureBlog(at.platen, second, { theme: "sans" });
  at.cache.respondWith(() => new Response(null, { status: 304 }));
  at.pass(4 * SECOND);
  expect(await at.purgedHosts()).toEqual([]);
  at.pass(SECOND);
  const both = [["blog.test", "second.example"]];
  expect(await at.purgedHosts()).toEqual(both);
  // After the last interval it repeats; after a success it starts again with the first.
  for (const answer of [new Response("no", { status: 503 }), new Response(null, { status: 204 })]) {
    at.cache.respondWith(() => answer);
    at.pass(4 * MINUTE);
    expect(await at.purgedHosts()).toEqual([]);
    at.pass(MINUTE);
    expect(await at.purgedHosts()).toEqual(both);
  }
  expect(await at.purgedHosts()).toEqual([]);
  at.cache.respondWith(() => new Response("no", { status: 503 }));
  await at.change({ title: "White tea" });
  expect(await at.purgedHosts()).toEqual([["blog.test"]]);
  at.pass(5 * SECOND);
  expect(await at.purgedHosts()).toEqual([["blog.test"]]);
});

test("a CDN that cannot be purged is reported by /readyz?full, /metrics and doctor", async () => {
  const at = await startPurging();
  const reports = async () => {
    const asMonitor = { headers: { authorization: "Bearer monitor" } };
    const metrics = await at.fetch("/metrics", asMonitor);
    const failing = (await metrics.text()).match(/^platen_purge_failing (\d)$/m)?.[1];
    const readyz = await (await at.fetch("/readyz?full", asMonitor)).text();
    const [found] = (await diagnose(at.platen)).filter(({ about }) => about === "caches");
    return {
      failing,
      readyz: readyz.match(/^purge failed: .*$/m)?.[0],
      state: found?.state,
      message: found?.message,
    };
  };
  const fine = { failing: "0", state: "ok", message: "No failed purges." };
  Object.assign(at.platen.config, { metricsToken: "monitor" });
  expect(await reports()).toMatchObject(fine);
  at.cache.respondWith(() => new Response("no", { status: 503 }));
  const since = at.platen.now().toISOString();
  await at.change({ title: "Black tea" });
  await at.purgedHosts();
  at.pass(MINUTE);
  at.cache.respondWith(() => new Response("no", { status: 401 }));
  await at.purgedHosts();
  expect(await reports()).toEqual({
    failing: "1",
    readyz: `purge failed: status 401 (since ${since})`,
    state: "error",
    message: `Purges have failed since ${since}: status 401.`,
  });
  at.cache.respondWith(() => new Response("ok"));
  at.pass(5 * MINUTE);
  await at.purgedHosts();
  expect(await reports()).toMatchObject({ ...fine, readyz: undefined });
});

test("a failed purge is no longer reported after purging was turned off", async () => {
  const at = await startPurging();
  at.cache.respondWith(() => new Response("no", { status: 503 }));
  await at.change({ title: "Black tea" });
  await at.purgedHosts();
  expect((await diagnose(at.platen)).map(({ about }) => about)).toContain("caches");
  Object.assign(at.platen.config, { purge: null });
  cdnPurges(at.platen, guardedClient(at.platen.config)).step();
  expect((await diagnose(at.platen)).map(({ about }) => about)).not.toContain("caches");
});

test("changes during a purge are purged with the next request", async () => {
  const at = await startPurging();
  const answer = Promise.withResolvers<Response>();
  at.cache.respondWith(() => answer.promise);
  await at.change({ title: "Black tea" });
  at.purges.step();
  await at.cache.untilRequested(1);
  await at.change({ content: "<p>Black</p>" });
  at.purges.step();
  answer.resolve(new Response("ok"));
  await at.purges.settled();
  expect(at.cache.received.splice(0)).toHaveLength(1);
  at.cache.respondWith(() => new Response("ok"));
  expect(await at.purgedHosts()).toEqual([["blog.test"]]);
});

test("a stopping server does not wait for purges; the next one makes them", async () => {
  const at = await startPurging();
  at.cache.respondWith(() => new Promise(() => {}));
  await at.change({ title: "Black tea" });
  at.purges.step();
  await at.cache.untilRequested(1);
  await at.purges.stop();
  expect(at.log.join()).not.toContain("PLATEN_PURGE_URL");
  expect(at.purges.step()).toBe(Number.POSITIVE_INFINITY);
  at.cache.respondWith(() => new Response("ok"));
  at.cache.received.length = 0;
  const next = cdnPurges(at.platen, guardedClient(at.platen.config));
  next.step();
  await next.settled();
  expect(at.cache.received.map(({ payload }) => payload.hosts)).toEqual([["blog.test"]]);
});

test("all pages are purged at start, also if the previous purge was interrupted", async () => {
  const at = await startPurging();
  const restarted = () => cdnPurges(at.platen, guardedClient(at.platen.config));
  const purgedHostsBy = async (purges: ReturnType<typeof cdnPurges>) => {
    purges.step();
    await purges.settled();
    return at.cache.received.splice(0).map(({ payload }) => payload.hosts);
  };
  expect(await at.purgedHosts()).toEqual([]);
  expect(await purgedHostsBy(restarted())).toEqual([["blog.test"]]);
  at.platen.db.run("INSERT INTO page_changes (place, is_being_told) VALUES ('gone.example', 1)");
  expect(await purgedHostsBy(restarted())).toEqual([["blog.test", "gone.example"]]);
});

test("CDNs may cache only if they are purged; browsers revalidate", async () => {
  const { platen, fetch } = await startPurging();
  for (const path of ["/", "/tea", "/feed.xml", "/archive", "/sitemap.xml"]) {
    const { headers } = await fetch(path);
    expect([path, headers.get("cache-control")]).toEqual([path, "public, no-cache"]);
    expect(headers.get("cdn-cache-control")).toBe("public, max-age=86400");
    expect(headers.get("surrogate-control")).toBe("max-age=86400");
    expect(headers.get("x-accel-expires")).toBe("86400");
  }
  const cdnHeaders = ["cdn-cache-control", "surrogate-control", "x-accel-expires"];
  for (const path of ["/nothing-here", "/admin", "/auth/sign-in", "/api/v1/info"]) {
    const { headers } = await fetch(path);
    for (const name of cdnHeaders) expect([path, name, headers.get(name)]).toEqual([path, name, null]);
  }
  const without = startPlaten();
  const { headers } = await without.fetch("/");
  for (const name of cdnHeaders) expect(headers.get(name)).toBeNull();
  expect(platen.config.purge).not.toBeNull();
});

test("a starting server purges all pages, and a command's changes are purged", async () => {
  const cache = receiver();
  const env = {
    PLATEN_PURGE_URL: cache.url,
    PLATEN_PURGE_HEADER: "AccessKey: a secret",
    PLATEN_PRIVATE_HOSTS: "127.0.0.1",
  };
  const server = await startServer({ env });
  const command = (...words: string[]) => runPlaten(words, { env: { PLATEN_DATA: server.data } });
  await command("setup", "--email", "ada@example.com", "--title", "Garden");
  await cache.untilRequested(1);
  await server.kill();
  await command("blog", "set", "garden", "--theme", "photo");
  const before = cache.received.length;
  await using again = await startServer({ data: server.data, env });
  await cache.untilRequested(before + 1);
  await command("blog", "set", "garden", "--theme", "sans");
  await cache.untilRequested(before + 2);
  expect(cache.received.at(-1)?.payload).toEqual({ hosts: [new URL(again.url).host] });
});

test.each([
  [{ PLATEN_PURGE_URL: "ftp://cdn.example" }, "it must be an http or https URL"],
  [{ PLATEN_PURGE_URL: "https://cdn.example", PLATEN_PURGE_HEADER: "a secret" }, "must be a header like"],
  [
    { PLATEN_PURGE_URL: "https://cdn.example", PLATEN_PURGE_HEADER: "AccessKey: a secret\r\nHost: other" },
    "must be a header like",
  ],
  [{ PLATEN_PURGE_HEADER: "AccessKey: a secret" }, "no effect without PLATEN_PURGE_URL"],
])("%j is rejected without printing the secret", (environment, says) => {
  expect(() => readSettings({}, environment)).toThrow(says);
  expect(() => readSettings({}, environment)).not.toThrow("a secret");
});
