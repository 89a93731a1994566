import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { platenApp } from "../../src/app";
import { keepDataVersion } from "../../src/database/change-counter";
import { posts } from "../../src/database/schema";
import { DAY, HOUR, START, startPlaten, type TestPlaten } from "../support/platen";
import { runPlaten } from "../support/program";

const LIST = "/api/v1/posts?include_content=true";

async function createPost(at: TestPlaten): Promise<number> {
  const { body } = await at.api("POST", "/posts", { post: { title: "Before", status: "published" } });
  return body.post.id;
}

/** Renames the post; if `unnoticed`, only a cached response still has "Before". */
function renamePost(at: TestPlaten, id: number, { unnoticed = false } = {}): void {
  const write = () => at.platen.db.update(posts).set({ title: "After" }).where(eq(posts.id, id)).run();
  if (unnoticed) keepDataVersion(at.platen, write);
  else write();
}

function fetcherOf(at: TestPlaten, key = at.key) {
  return (path: string, headers: Record<string, string> = {}) =>
    at.fetch(path, {
      headers: { ...(path.startsWith("/api") && { authorization: `Bearer ${key}` }), ...headers },
    });
}

test("unchanged pages and API lists come from the cache with the same headers", async () => {
  const at = startPlaten({ url: "https://blog.test" });
  const ask = fetcherOf(at);
  const id = await createPost(at);
  const paths = [
    "/",
    "/before",
    "/feed.xml",
    LIST,
    `/api/v1/posts/${id}`,
    "/api/v1/posts?status=all&limit=5",
  ];
  // The first request stores the secret for feed ids, which clears the cache.
  await ask("/feed.xml");
  const first = new Map<string, Headers>();
  for (const path of paths) first.set(path, (await ask(path)).headers);
  renamePost(at, id, { unnoticed: true });
  for (const path of paths) {
    const again = await ask(path);
    expect([path, Object.fromEntries(again.headers)]).toEqual([
      path,
      Object.fromEntries(first.get(path) as Headers),
    ]);
    expect(await again.text()).toContain("Before");
    const etag = again.headers.get("etag") as string;
    expect((await ask(path, { "if-none-match": etag })).status).toBe(304);
  }
});

test("a change is visible at once to requests of the same event-loop tick", async () => {
  const at = startPlaten();
  const ask = fetcherOf(at);
  const id = await createPost(at);
  for (const path of ["/", LIST]) await ask(path);
  const before = [ask("/"), ask(LIST)];
  renamePost(at, id);
  const after = [ask("/"), ask(LIST)];
  for (const answer of before) expect(await (await answer).text()).toContain("Before");
  for (const answer of after) expect(await (await answer).text()).toContain("After");
});

test("a change by another process is visible at once, and a revoked key is rejected", async () => {
  const at = startPlaten();
  const ask = fetcherOf(at);
  await createPost(at);
  for (const path of ["/", LIST]) expect((await ask(path)).status).toBe(200);
  const data = ["--data", at.platen.config.data];
  expect((await runPlaten(["blog", "set", "ada", "--title", "Elsewhere", ...data])).code).toBe(0);
  expect(await (await ask("/")).text()).toContain("<title>Elsewhere</title>");
  expect((await ask(LIST)).status).toBe(200);
  expect((await runPlaten(["key", "revoke", "1", ...data])).code).toBe(0);
  expect((await ask(LIST)).status).toBe(401);
});

test("a scheduled post is in cached pages as soon as it goes live", async () => {
  const at = startPlaten();
  const ask = fetcherOf(at);
  const published_at = new Date(START.getTime() + HOUR).toISOString();
  await at.api("POST", "/posts", { post: { title: "Soon", status: "published", published_at } });
  const areShown = async () => {
    const answers = await Promise.all(["/", `${LIST}&status=published`].map((path) => ask(path)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    return texts.map((text) => text.includes("Soon"));
  };
  await areShown();
  at.pass(HOUR - 1);
  expect(await areShown()).toEqual([false, false]);
  at.pass(1);
  expect(await areShown()).toEqual([true, true]);
});

test("cached pages follow a clock that is set back and forward", async () => {
  const at = startPlaten();
  const ask = fetcherOf(at);
  await createPost(at);
  const live = async () => {
    const pages = await Promise.all(["/", `${LIST}&status=published`].map((path) => ask(path)));
    const [page, list] = await Promise.all(pages.map((page) => page.text()));
    return [page?.includes("Before"), JSON.parse(list as string).pagination.total];
  };
  expect(await live()).toEqual([true, 1]);
  at.pass(-HOUR);
  expect(await live()).toEqual([false, 0]);
  at.pass(HOUR);
  expect(await live()).toEqual([true, 1]);
});

test("the expiry date of security.txt changes daily, although nothing else does", async () => {
  const at = startPlaten();
  const contact = { title: "Contact", type: "page", status: "published", meta: { show_contact_form: true } };
  await at.api("POST", "/posts", { post: contact });
  const expires = async () =>
    /Expires: (.*)/.exec(await (await at.fetch("/.well-known/security.txt")).text())?.[1];
  expect(await expires()).toBe("2026-05-30T00:00:00.000Z");
  at.pass(DAY);
  expect(await expires()).toBe("2026-05-31T00:00:00.000Z");
});

test("rejects an expired key, also for cached responses", async () => {
  const at = startPlaten();
  const ask = fetcherOf(at, at.newKey({ lifetime: HOUR }));
  expect((await ask(LIST)).status).toBe(200);
  at.pass(HOUR - 1);
  expect((await ask(LIST)).status).toBe(200);
  at.pass(1);
  expect((await ask(LIST)).status).toBe(401);
});

test("a cached response for one key is not sent to another key, or without one", async () => {
  const at = startPlaten();
  await createPost(at);
  const grace = at.newAccount("grace@example.com");
  at.newBlog({ title: "Grace's" }, grace);
  const others = at.newKey({}, grace);
  const writesOnly = at.newKey({ scopes: ["create"] });
  expect(await (await fetcherOf(at)(LIST)).text()).toContain("Before");
  expect(await (await fetcherOf(at, others)(LIST)).text()).not.toContain("Before");
  expect((await fetcherOf(at, writesOnly)(LIST)).status).toBe(403);
  expect((await fetcherOf(at, "made-up")(LIST)).status).toBe(401);
  expect((await at.fetch(LIST)).status).toBe(401);
});

test("a cached response is not sent to rejected requests or to writes", async () => {
  const at = startPlaten();
  await createPost(at);
  for (const path of ["/before", LIST]) await fetcherOf(at)(path);
  for (const name of ["accept-encoding", "x-forwarded-host", "x-forwarded-for", "user-agent"])
    expect([name, (await fetcherOf(at)("/before", { [name]: "x".repeat(4001) })).status]).toEqual([
      name,
      431,
    ]);
  expect((await at.fetch("/before", { method: "POST" })).status).toBe(405);
  const authorization = `Bearer ${at.key}`;
  expect((await at.fetch(LIST, { method: "DELETE", headers: { authorization } })).status).toBe(405);
});

test("a trusted proxy gets the blog that it names, not the cached page of the requested host", async () => {
  const at = startPlaten();
  at.newBlog({ title: "Shop", domain: "shop.test" });
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.fetch(request) });
  const app = platenApp(at.platen, server);
  const titleFor = async (headers: Record<string, string>) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/`, {
      headers: { host: "blog.test", ...headers },
    });
    return /<title>(.*)<\/title>/.exec(await answer.text())?.[1];
  };
  try {
    expect(await titleFor({})).toBe("Ada&#x27;s Blog");
    expect(await titleFor({ "x-forwarded-host": "blog.test" })).toBe("Ada&#x27;s Blog");
    expect(await titleFor({ "x-forwarded-host": "shop.test" })).toBe("Shop");
  } finally {
    await server.stop(true);
  }
});
