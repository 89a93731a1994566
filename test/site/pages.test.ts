import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { blogs, contents } from "../../src/database/schema";
import { MINUTE, SECOND, startPlaten } from "../support/platen";
import { page, post } from "./posting";

test("the home page lists live posts, newest first, and nothing else", async () => {
  const at = startPlaten();
  await post(at, { title: "Older", published_at: "2026-02-01T10:00:00Z" });
  await post(at, { title: "Newer", published_at: "2026-02-02T10:00:00Z" });
  await post(at, { title: "A page", type: "page" });
  await post(at, { title: "A hidden one", meta: { hidden: true } });
  await post(at, { title: "A draft", status: "draft" });
  await post(at, { title: "An archived one", status: "archived" });
  await post(at, { title: "A scheduled one", published_at: "2026-03-01T12:01:00Z" });
  const gone = await post(at, { title: "A deleted one" });
  await at.api("DELETE", `/posts/${gone.id}`);
  const titles = [...(await page(at, "/")).matchAll(/<h2 class="p-name"><a[^>]*>([^<]+)/g)].map(
    (match) => match[1],
  );
  expect(titles).toEqual(["Newer", "Older"]);
});

test("a scheduled post is nowhere until its time, and at its URL from then on", async () => {
  const at = startPlaten();
  await post(at, { title: "Soon", published_at: "2026-03-01T12:01:00Z" });
  at.pass(MINUTE - SECOND);
  expect((await at.fetch("/soon")).status).toBe(404);
  at.pass(SECOND);
  expect((await at.fetch("/soon")).status).toBe(200);
  expect(await page(at, "/")).toContain("Soon");
});

test("the list has pages, and returns 404 past the last one", async () => {
  const at = startPlaten();
  for (let number = 1; number <= 21; number++) await post(at, { title: `Post number ${number}` });
  const first = await page(at, "/");
  expect(first).toContain('rel="next" href="/?page=2"');
  expect(first).not.toContain('rel="prev"');
  const second = await page(at, "/?page=2");
  expect(second).toContain('rel="prev" href="/"');
  expect(second).not.toContain('rel="next"');
  expect(second.match(/class="h-entry"/g)).toHaveLength(1);
  for (const beyond of ["3", "0", "-1", "x", "1e3"])
    expect((await at.fetch(`/?page=${beyond}`)).status).toBe(404);
});

/** Links of a page to its neighbors: "prev /newer Newer title". */
const neighborLinksIn = (shown: string) =>
  [...shown.matchAll(/<a rel="(prev|next)" href="([^"]*)"><small>.*?<\/small> <bdi[^>]*>([^<]*)/g)].map(
    ([, ...said]) => said.join(" "),
  );

test("a post links to the next newer and older one of the home page", async () => {
  const at = startPlaten();
  const published_at = "2026-02-01T10:00:00Z";
  const first = await post(at, { title: "First", published_at });
  expect(await page(at, "/first")).not.toContain('<nav class="pages"');
  await post(at, { title: "Second", published_at });
  const third = await post(at, { content: `<p>${"Words ".repeat(20)}</p>`, slug: "third", published_at });
  for (const [title, fields] of Object.entries({
    "A page": { type: "page" },
    Hidden: { meta: { hidden: true } },
    Draft: { status: "draft" },
    Later: { published_at: "2026-03-01T12:01:00Z" },
  }))
    await post(at, { title, published_at, ...fields });
  const stranger = at.newBlog({ title: "Another" });
  await post(at, { title: "Elsewhere", published_at }, stranger.id);
  expect(neighborLinksIn(await page(at, "/first"))).toEqual(["prev /second Second"]);
  expect(neighborLinksIn(await page(at, "/second"))).toEqual([
    `prev /third ${"Words ".repeat(10).trim()}…`,
    "next /first First",
  ]);
  expect(neighborLinksIn(await page(at, "/third"))).toEqual(["next /second Second"]);
  expect(neighborLinksIn(await page(at, "/hidden"))).toEqual([`next /third ${"Words ".repeat(10).trim()}…`]);
  for (const path of ["/a-page", "/@another/elsewhere"])
    expect(neighborLinksIn(await page(at, path))).toEqual([]);

  const second = () => page(at, "/second").then(neighborLinksIn);
  await at.api("PATCH", `/posts/${first.id}`, { post: { title: "Renamed", slug: "renamed" } });
  expect((await second())[1]).toBe("next /renamed Renamed");
  await at.api("PATCH", `/posts/${third.id}/unpublish`);
  expect(await second()).toEqual(["next /renamed Renamed"]);
  at.pass(MINUTE);
  expect(await second()).toEqual(["prev /later Later", "next /renamed Renamed"]);
});

test("a blog without posts says so instead of returning 404", async () => {
  const answer = await startPlaten().fetch("/");
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain("No posts yet");
});

test("a post's page has its content, its time in the blog's time zone, and microformats", async () => {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ timeZone: "Europe/Berlin", language: "de" }).run();
  await post(at, {
    title: "Katzen & Hunde",
    content: "<p>Alle <b>Tiere</b>.</p>",
    category: "Tiere",
    tags: ["eins", "zwei"],
    published_at: "2026-02-28T23:30:00Z",
  });
  const shown = await page(at, "/katzen-hunde");
  expect(shown).toContain('<html lang="de" dir="ltr">');
  expect(shown).toContain('<h1 class="p-name">Katzen &amp; Hunde</h1>');
  expect(shown).toContain(
    '<time class="dt-published" datetime="2026-03-01T00:30:00+01:00">1. März 2026</time>',
  );
  expect(shown).toContain('class="e-content prose"><p>Alle <b>Tiere</b>.</p>');
  expect(shown).toContain('<link rel="canonical" href="http://blog.test/katzen-hunde">');
  expect(shown).toContain('<meta name="description" content="Alle Tiere.">');
  for (const word of ["Tiere", "eins", "zwei"])
    expect(shown).toMatch(new RegExp(`class="p-category"[^>]*>${word}<`));
  expect(shown).toMatch(/class="p-author h-card"[^>]*>Ada</);
  expect(shown).not.toContain("robots");
});

test("no_index_no_follow adds noindex, nofollow", async () => {
  const at = startPlaten();
  await post(at, { title: "Quiet", meta: { no_index_no_follow: true } });
  expect(await page(at, "/quiet")).toContain('<meta name="robots" content="noindex,nofollow">');
});

test("a title is always plain text", async () => {
  const at = startPlaten();
  await post(at, { title: "<script>alert(1)</script>", slug: "marked" });
  for (const path of ["/", "/marked"]) expect(await page(at, path)).not.toContain("<script>");
});

test("a note without a title is shown complete in lists, and its page has a heading for screen readers", async () => {
  const at = startPlaten();
  await post(at, { content: "<p>It <em>rains</em>.</p>", slug: "rain" });
  expect(await page(at, "/")).toContain("<p>It <em>rains</em>.</p>");
  const shown = await page(at, "/rain");
  expect(shown).toContain("<title>It rains. – Ada&#x27;s Blog</title>");
  expect(shown.match(/<h1.*/g)).toEqual(['<h1 class="spoken">It rains.</h1>']);
});

test("pages and hidden posts have a URL but are in no list", async () => {
  const at = startPlaten();
  await post(at, { title: "About", type: "page" });
  await post(at, { title: "Secret", meta: { hidden: true } });
  expect((await at.fetch("/about")).status).toBe(200);
  expect((await at.fetch("/secret")).status).toBe(200);
});

test("an old slug, or an extra slash, redirects to the current URL", async () => {
  const at = startPlaten();
  const { id } = await post(at, { title: "First" });
  await at.api("PATCH", `/posts/${id}`, { post: { slug: "second" } });
  for (const path of ["/first", "/first/", "/second/"]) {
    const answer = await at.fetch(`${path}?from=feed`);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      301,
      "http://blog.test/second?from=feed",
    ]);
  }
  await at.api("PATCH", `/posts/${id}/unpublish`);
  expect((await at.fetch("/first")).status).toBe(404);
});

test("every blog has one URL, and its other ones redirect", async () => {
  const at = startPlaten();
  const garden = at.newBlog({ title: "Garden", slug: "garden" });
  const shop = at.newBlog({ title: "Shop", slug: "shop", domain: "shop.test" });
  await post(at, { title: "Roses" }, garden.id);
  await post(at, { title: "Spades" }, shop.id);
  expect(await page(at, "/@garden/")).toContain('href="/@garden/roses"');
  expect((await at.fetch("/@garden/roses")).status).toBe(200);
  expect(await page(at, "http://shop.test/")).toContain('href="/spades"');
  expect((await at.fetch("http://shop.test/spades")).status).toBe(200);
  expect(await page(at, "http://unknown.test/")).toContain("Ada&#x27;s Blog");

  const moved = async (path: string) => {
    const answer = await at.fetch(path);
    return [answer.status, answer.headers.get("location")];
  };
  expect(await moved("/@garden")).toEqual([301, "http://blog.test/@garden/"]);
  expect(await moved("/@garden/archive/")).toEqual([301, "http://blog.test/@garden/archive"]);
  expect(await moved("/@garden/feed.xml/")).toEqual([301, "http://blog.test/@garden/feed.xml"]);
  expect(await moved("/@ada/")).toEqual([301, "http://blog.test/"]);
  expect(await moved("/@shop/spades?a=b")).toEqual([301, "http://shop.test/spades?a=b"]);
  expect((await at.fetch("/roses")).status).toBe(404);
  expect((await at.fetch("/@nobody/")).status).toBe(404);
});

test("a home blog with a custom domain is redirected from the base URL", async () => {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ domain: "ada.test" }).where(eq(blogs.id, at.blog.id)).run();
  expect((await at.fetch("/")).headers.get("location")).toBe("http://ada.test/");
  expect((await at.fetch("http://ada.test/")).status).toBe(200);
});

test("invalid and reserved paths return the blog's 404 page", async () => {
  const at = startPlaten();
  const odd = [
    "/nope",
    "/%ff",
    "/%00",
    "/%",
    "/a/b",
    "//",
    "/..%2f",
    "/category",
    "/tag/",
    "/share/x",
    "/share/",
    "/assets/x/y",
  ];
  for (const path of [...odd, `/${"x".repeat(7900)}`]) {
    const answer = await at.fetch(`http://blog.test${path}`);
    expect([path.slice(0, 20), answer.status]).toEqual([path.slice(0, 20), 404]);
    expect([path.slice(0, 20), await answer.text()]).toEqual([
      path.slice(0, 20),
      expect.stringContaining("Page not found"),
    ]);
  }
});

test("table cells are aligned by classes, because the content policy allows no style attributes", async () => {
  const at = startPlaten();
  const { id } = await post(at, { title: "Tides", content_type: "markdown", content: "|a|\n|--:|\n|1|" });
  expect(await page(at, "/tides")).toContain('<td data-align="right">1</td>');
  expect(await page(at, "/feed.xml")).toContain("text-align:right");
  at.platen.db
    .update(contents)
    .set({ html: '<table><tr><td align="center">1</td></tr></table>' })
    .where(eq(contents.postId, id))
    .run();
  expect(await page(at, "/tides")).toContain('<td data-align="center">1</td>');
});

test("pages have security headers, and return 304 if they have not changed", async () => {
  const at = startPlaten();
  await post(at, { title: "Kept" });
  const first = await at.fetch("/kept");
  const policy = first.headers.get("content-security-policy");
  expect(policy).toContain("default-src 'none'");
  // Lighthouse requests robots.txt from the page.
  expect(policy).toContain("connect-src 'self';");
  expect(first.headers.get("x-content-type-options")).toBe("nosniff");
  const etag = first.headers.get("etag") as string;
  expect((await at.fetch("/kept", { headers: { "if-none-match": etag } })).status).toBe(304);
  at.platen.db.update(blogs).set({ title: "Renamed" }).run();
  expect((await at.fetch("/kept", { headers: { "if-none-match": etag } })).status).toBe(200);
});

test("pages support HEAD; other methods return 405 with Allow", async () => {
  const at = startPlaten();
  expect((await at.fetch("/", { method: "HEAD" })).status).toBe(200);
  for (const method of ["POST", "PUT", "DELETE"]) {
    const answer = await at.fetch("/", { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  }
});

test("the URL of the stylesheet contains its hash, and is cached permanently", async () => {
  const at = startPlaten();
  const address = /<link rel="stylesheet" href="([^"]+)">/.exec(await page(at, "/"))?.[1] as string;
  expect(address).toMatch(/^\/assets\/[a-z]+\.[0-9a-f]{12}\.css$/);
  const answer = await at.fetch(address);
  expect(answer.headers.get("content-type")).toStartWith("text/css");
  expect(answer.headers.get("cache-control")).toContain("immutable");
});
