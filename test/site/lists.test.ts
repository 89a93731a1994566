import { expect, test } from "bun:test";
import { closeDatabase, openDatabase } from "../../src/database/open";
import { blogs, contents } from "../../src/database/schema";
import { yieldToEventLoop } from "../../src/runtime/yielding";
import { startPlaten, type TestPlaten } from "../support/platen";
import { page, post } from "./posting";

/** Titles on a list page, in order. */
async function titlesAt(at: TestPlaten, path: string): Promise<string[]> {
  const found = (await page(at, path)).matchAll(/<h2 class="p-name"><a[^>]*>([^<]+)/g);
  return [...found].map((match) => match[1] as string);
}

test("categories and tags have a page each, in any script", async () => {
  const at = startPlaten();
  await post(at, { title: "One", category: "Küche & Bad", tags: ["Größe"] });
  await post(at, { title: "Two", category: "Küche & Bad", tags: ["größe", "other"] });
  await post(at, { title: "Three" });
  const shown = await page(at, "/one");
  const [, category] =
    /<a class="p-category" rel="tag" href="(\/category[^"]+)">Küche &amp; Bad</.exec(shown) ?? [];
  const [, tag] = /<a class="p-category" rel="tag" href="(\/tag[^"]+)">Größe</.exec(shown) ?? [];
  expect(await titlesAt(at, category as string)).toEqual(["Two", "One"]);
  expect(await titlesAt(at, tag as string)).toEqual(["Two", "One"]);
  expect(await page(at, category as string)).toContain("<title>Küche &amp; Bad – Ada&#x27;s Blog</title>");
  expect((await at.fetch(`${category}/`)).headers.get("location")).toBe(`http://blog.test${category}`);
});

test("long lists of a category have pages with their own URLs", async () => {
  const at = startPlaten();
  for (let number = 1; number <= 21; number++) await post(at, { title: `Post ${number}`, category: "Pets" });
  expect(await page(at, "/category/pets")).toContain('rel="next" href="/category/pets?page=2"');
  const second = await page(at, "/category/pets?page=2");
  expect(second).toContain('rel="prev" href="/category/pets"');
  expect(second).toContain('<link rel="canonical" href="http://blog.test/category/pets?page=2">');
  expect(await titlesAt(at, "/category/pets?page=2")).toEqual(["Post 1"]);
  expect((await at.fetch("/category/pets?page=3")).status).toBe(404);
});

test("a list does not read the content of its posts, except of those without a title", async () => {
  const at = startPlaten();
  for (const title of ["Green tea", "Black tea"])
    await post(at, { title, content: "<p>Two cups.</p>", category: "Kitchen", tags: ["tea"] });
  const lists = async () => [
    (await at.api("GET", "/posts?search=cups&include_content=false")).body,
    ...(await Promise.all(
      ["/", "/archive", "/search?q=cups", "/category/kitchen", "/tag/tea", "/sitemap.xml"].map((path) =>
        page(at, path),
      ),
    )),
  ];
  const before = await lists();
  expect(before[1]).toContain("Two cups.");
  // Delete the content as another program; after a write of its own, the server would index the posts again.
  const other = openDatabase(at.platen.config.data);
  other.delete(contents).run();
  closeDatabase(other);
  await yieldToEventLoop();
  expect(await lists()).toEqual(before);
});

test("the archive groups posts by years and months of the blog's time zone", async () => {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ timeZone: "Pacific/Auckland", language: "de" }).run();
  await post(at, { title: "New Year there", published_at: "2025-12-31T11:30:00Z" });
  await post(at, { title: "Eve", published_at: "2025-12-31T10:30:00Z" });
  await post(at, { title: "May", published_at: "2025-05-02T10:30:00Z" });
  await post(at, { content: "<p>No title at all</p>", published_at: "2025-05-01T10:30:00Z" });
  const text = (await page(at, "/archive"))
    .split("<main")[1]
    ?.replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");
  expect(text).toContain("2026 Januar New Year there 1. Jan.");
  expect(text).toContain("2025 Dezember Eve 31. Dez. Mai May 2. Mai No title at all 1. Mai");
});

test("an empty archive says so", async () => {
  expect(await page(startPlaten(), "/archive")).toContain("No posts yet");
});

test("a search finds posts and pages by their words, newest first, or says that it found none", async () => {
  const at = startPlaten();
  await post(at, { title: "Old", content: "<p>About quokkas</p>", published_at: "2026-02-01T10:00:00Z" });
  await post(at, { title: "Quokka", content: "<p>New</p>", type: "page" });
  await post(at, { title: "Wombat" });
  expect(await titlesAt(at, "/search?q=quokka")).toEqual(["Quokka", "Old"]);
  expect(await page(at, "/search?q=numbat")).toContain("No results for “numbat”");
  const phrase = encodeURIComponent("“about quokkas”");
  expect(await page(at, `/search?q=${phrase}`)).toContain("Results for “about quokkas”");
});

test("pages through search results with the same terms", async () => {
  const at = startPlaten();
  for (let number = 1; number <= 21; number++) await post(at, { title: `Cats & dogs ${number}` });
  const first = await page(at, "/search?q=cats+%26+dogs");
  expect(first).toContain('href="/search?q=cats%20%26%20dogs&amp;page=2"');
  expect(await titlesAt(at, "/search?q=cats%20%26%20dogs&page=2")).toEqual(["Cats &amp; dogs 1"]);
});

test("the search form has a label, keeps the query, and is not indexed by search engines", async () => {
  const at = startPlaten();
  const shown = await page(at, "/search?q=%22%3E%3Cb%3E");
  expect(shown).toContain('<form class="search" role="search" action="/search">');
  expect(shown).toContain('<label for="q">');
  expect(shown).toContain('value="&quot;&gt;&lt;b&gt;"');
  expect(shown).toContain('content="noindex,nofollow"');
});

test("a share link shows a draft as on the blog, without a time, and is not cached", async () => {
  const at = startPlaten();
  const shop = at.newBlog({ title: "Shop", domain: "shop.test" });
  const fields = { title: "Soon", status: "draft", category: "Plans", meta: { is_shared: true } };
  const { meta } = await post(at, fields, shop.id);
  const answer = await at.fetch(`/share/${meta.share_id}`);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("x-robots-tag")).toContain("noindex");
  const shown = await answer.text();
  expect(shown).toContain('<meta name="robots" content="noindex,nofollow">');
  expect(shown).toContain("This is a draft.");
  expect(shown).not.toContain("<time");
  expect(shown).not.toContain('rel="canonical"');
  expect(shown).toContain('<a href="http://shop.test/">Shop</a>');
});

test("a share link of a live post has the post's URL as canonical", async () => {
  const at = startPlaten();
  const { meta } = await post(at, { title: "Out", meta: { is_shared: true } });
  const shown = await page(at, `/share/${meta.share_id}`);
  expect(shown).toContain('<link rel="canonical" href="http://blog.test/out">');
  expect(shown).not.toContain("This is");
});

const ADDRESSES = [
  "/",
  "/one",
  "/archive",
  "/search?q=one",
  "/category/pets",
  "/tag/tame",
  "/feed.xml",
  "/feed.atom",
  "/feed.json",
  "/category/pets/feed.xml",
  "/sitemap.xml",
  "/robots.txt",
  "/favicon.svg",
  "/favicon.ico",
  "/icon-192.png",
  "/site.webmanifest",
];

test("every path supports HEAD and 304, and returns 405 for other methods", async () => {
  const at = startPlaten();
  await post(at, { title: "One", category: "Pets", tags: ["tame"] });
  for (const path of ADDRESSES) {
    const head = await at.fetch(path, { method: "HEAD" });
    expect([path, head.status]).toEqual([path, 200]);
    const headers = { "if-none-match": head.headers.get("etag") as string };
    expect([path, (await at.fetch(path, { headers })).status]).toEqual([path, 304]);
    const wrong = await at.fetch(path, { method: "PUT" });
    expect([path, wrong.status, wrong.headers.get("allow")]).toEqual([path, 405, "GET, HEAD"]);
  }
});

test("no query causes an error", async () => {
  const at = startPlaten();
  await post(at, { title: "One", category: "Pets", tags: ["tame"] });
  const odd = [
    "page=%00",
    "page=9999999999999",
    "page=999999999",
    "page=1&page=2",
    "q=%00%ff%F0%9F",
    "q=%22",
    "%=&&=%",
  ];
  const long = `q=${"%22a*%20OR%20(".repeat(500)}`;
  for (const path of ADDRESSES)
    for (const query of [...odd, "q=*", "q=a%20NEAR%20b", "q=-", long]) {
      const { status } = await at.fetch(`${path.split("?")[0]}?${query}`);
      expect([path, query.slice(0, 30), status === 200 || status === 404]).toEqual([
        path,
        query.slice(0, 30),
        true,
      ]);
    }
  expect(at.log).toEqual([]);
});

test("two blogs with custom domains have separate lists, feeds and searches", async () => {
  const at = startPlaten();
  const [cats, dogs] = ["cats", "dogs"].map((name) =>
    at.newBlog({ title: name, slug: name, domain: `${name}.test` }),
  );
  await post(at, { title: "Tom", category: "Pets", tags: ["tame"] }, cats?.id);
  await post(at, { title: "Rex", category: "Pets", tags: ["tame"] }, dogs?.id);
  const places = [
    "/",
    "/archive",
    "/search?q=tom",
    "/category/pets",
    "/tag/tame",
    ...ADDRESSES.slice(6, 10),
    "/sitemap.xml",
  ];
  for (const path of places) {
    const shown = await page(at, `http://cats.test${path}`);
    expect([path, shown.includes("/tom"), /rex|dogs|blog\.test\/tom/i.test(shown)]).toEqual([
      path,
      true,
      false,
    ]);
  }
  expect((await at.fetch("http://dogs.test/tom")).status).toBe(404);
  expect((await at.fetch("/@cats/category/pets?page=1")).headers.get("location")).toBe(
    "http://cats.test/category/pets?page=1",
  );
});

test("all links of a blog below the base URL stay below it", async () => {
  const at = startPlaten();
  const garden = at.newBlog({ title: "Garden", slug: "garden" });
  for (let number = 1; number <= 21; number++)
    await post(at, { title: `Rose ${number}`, category: "Beds", tags: ["red"] }, garden.id);
  for (const path of ["", "archive", "search?q=rose", "category/beds", "tag/red", "rose-1"]) {
    const shown = await page(at, `/@garden/${path}`);
    const links = [...shown.matchAll(/<(?:a|form)[^>]* (?:href|action)="(\/[^"]*)"/g)].map(
      (match) => match[1] as string,
    );
    expect(links.length).toBeGreaterThan(3);
    expect([path, links.filter((link) => !link.startsWith("/@garden/"))]).toEqual([path, []]);
  }
});

test("very long posts do not make lists and feeds large", async () => {
  const at = startPlaten();
  const long = `<p>${"Word ".repeat(190_000)}</p>`;
  for (const title of ["", "Titled", ""]) await post(at, { title, content: long });
  const home = await page(at, "/");
  expect(home.length).toBeLessThan(20_000);
  expect(home.match(/class="p-summary"/g)).toHaveLength(3);
  for (const feed of ["/feed.xml", "/feed.atom", "/feed.json"]) {
    const text = await page(at, feed);
    expect(text.length).toBeLessThan(3_000_000);
    expect(text.match(/<item>|<entry>|"content_html"/g)).toHaveLength(2);
  }
});
