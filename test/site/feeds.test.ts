import { expect, test } from "bun:test";
import type { XmlElement } from "@rgrove/parse-xml";
import { eq } from "drizzle-orm";
import { blogs, contents, posts } from "../../src/database/schema";
import { picture, uploadForm } from "../support/pictures";
import { HOUR, startPlaten, type TestPlaten } from "../support/platen";
import { page, post } from "./posting";
import { childNamed, childrenNamed, textOf, xml } from "./xml";

const RFC_822 = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const PERMANENT = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/;

/** Titles and contents that break XML if they are not escaped. */
const NASTY = [
  { title: "Fish & <Chips> \"quoted\" 'twice'", content: "<p>5 &lt; 6 &amp; ]]&gt; &nbsp; é 🦊</p>" },
  { title: "Con\u0000trol\u0008 and \uFFFE\uFFFF", content: "<p>bell\u0007 &#x1; non\uFFFFcharacter</p>" },
  { title: "", content: "<p>A note that has no title, ]]> and <code>&lt;item&gt;</code> in it</p>" },
  { title: "Only a title", content: "" },
];

async function startWithNastyPosts(): Promise<TestPlaten> {
  const at = startPlaten();
  for (const fields of NASTY) await post(at, { ...fields, category: "R & D", tags: ["a<b", "c"] });
  return at;
}

/** Parts of a feed, independent of its format. */
async function feedAt(at: TestPlaten, path: string) {
  const answer = await at.fetch(path);
  expect([path, answer.status]).toEqual([path, 200]);
  const text = await answer.text();
  const type = answer.headers.get("content-type");
  // JSON may contain characters that XML may not.
  if (path.endsWith(".json")) return { type, ...jsonParts(JSON.parse(text.replace(/[\uFFFE\uFFFF]/g, ""))) };
  const root = xml(text);
  return { type, ...(path.endsWith(".xml") ? rssParts(root) : atomParts(root)) };
}

function rssParts(root: XmlElement) {
  const channel = childNamed(root, "channel");
  return {
    self: childNamed(channel, "atom:link").attributes.href,
    home: textOf(channel, "link"),
    entries: childrenNamed(channel, "item").map((item) => ({
      id: textOf(item, "guid"),
      title: (childrenNamed(item, "title")[0]?.text ?? "").trim(),
      url: textOf(item, "link"),
      content: textOf(item, "content:encoded"),
      at: new Date(textOf(item, "pubDate")).toISOString(),
      topics: childrenNamed(item, "category").map((category) => category.text),
    })),
  };
}

function atomParts(root: XmlElement) {
  const href = (parent: XmlElement, rel: string) =>
    childrenNamed(parent, "link").filter((link) => link.attributes.rel === rel)[0]?.attributes.href;
  return {
    self: href(root, "self"),
    home: href(root, "alternate"),
    entries: childrenNamed(root, "entry").map((entry) => ({
      id: textOf(entry, "id"),
      title: textOf(entry, "title").trim(),
      url: href(entry, "alternate"),
      content: textOf(entry, "content"),
      at: textOf(entry, "published"),
      topics: childrenNamed(entry, "category").map((category) => category.attributes.term),
    })),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what a stranger's feed may hold
function jsonParts(feed: any) {
  return {
    self: feed.feed_url,
    home: feed.home_page_url,
    // biome-ignore lint/suspicious/noExplicitAny: as above
    entries: feed.items.map((item: any) => ({
      id: item.id,
      title: (item.title ?? "").trim(),
      url: item.url,
      content: item.content_html,
      at: item.date_published,
      topics: item.tags,
    })),
  };
}

const FEEDS = ["/feed.xml", "/feed.atom", "/feed.json"];

test("RSS 2.0 has all required elements of channel and items", async () => {
  const root = xml(await page(await startWithNastyPosts(), "/feed.xml"));
  expect([root.name, root.attributes.version]).toEqual(["rss", "2.0"]);
  const channel = childNamed(root, "channel");
  for (const name of ["title", "link", "description", "language"]) expect(textOf(channel, name)).not.toBe("");
  expect(textOf(channel, "lastBuildDate")).toMatch(RFC_822);
  expect(childNamed(channel, "atom:link").attributes.rel).toBe("self");
  const items = childrenNamed(channel, "item");
  expect(items).toHaveLength(NASTY.length);
  for (const item of items) {
    expect(childrenNamed(item, "title").length + childrenNamed(item, "description").length).toBeGreaterThan(
      0,
    );
    expect(textOf(item, "pubDate")).toMatch(RFC_822);
    expect(childNamed(item, "guid").attributes.isPermaLink).toBe("false");
    expect(textOf(item, "guid")).toMatch(PERMANENT);
  }
});

test("Atom has each element that RFC 4287 requires once, and unique IRIs as ids", async () => {
  const root = xml(await page(await startWithNastyPosts(), "/feed.atom"));
  expect([root.name, root.attributes.xmlns]).toEqual(["feed", "http://www.w3.org/2005/Atom"]);
  expect(textOf(root, "id")).toMatch(PERMANENT);
  expect(textOf(root, "title")).not.toBe("");
  expect(textOf(root, "updated")).toMatch(RFC_3339);
  expect(textOf(childNamed(root, "author"), "name")).toBe("Ada");
  const entries = childrenNamed(root, "entry");
  for (const entry of entries) {
    expect(textOf(entry, "id")).toMatch(PERMANENT);
    expect(textOf(entry, "title")).not.toBe("");
    expect(textOf(entry, "updated")).toMatch(RFC_3339);
    expect(textOf(entry, "published")).toMatch(RFC_3339);
    expect(childNamed(entry, "content").attributes.type).toBe("html");
    // RFC 4287, 4.1.1: no two alternates of one type and language.
    expect(childrenNamed(entry, "link").filter((link) => link.attributes.rel === "alternate")).toHaveLength(
      1,
    );
    const terms = childrenNamed(entry, "category").map((category) => category.attributes.term);
    expect(new Set(terms).size).toBe(terms.length);
  }
  const ids = [root, ...entries].map((element) => textOf(element, "id"));
  expect(new Set(ids).size).toBe(ids.length);
});

test("JSON Feed 1.1 has its required fields, and no empty ones", async () => {
  const feed = JSON.parse(await page(await startWithNastyPosts(), "/feed.json"));
  expect(feed.version).toBe("https://jsonfeed.org/version/1.1");
  expect([feed.title, feed.language, feed.authors]).toEqual([
    "Ada's Blog",
    "en",
    [{ name: "Ada", url: "http://blog.test/" }],
  ]);
  for (const item of feed.items) {
    expect(item.id).toMatch(PERMANENT);
    expect(typeof item.content_html).toBe("string");
    expect(item.date_published).toMatch(RFC_3339);
    expect(item.date_modified).toMatch(RFC_3339);
    expect(Object.values(item)).not.toContain(null);
  }
});

test("all three formats have the same content in the same order", async () => {
  const at = await startWithNastyPosts();
  const [rss, atom, json] = await Promise.all(FEEDS.map((path) => feedAt(at, path)));
  expect([rss?.type, atom?.type, json?.type]).toEqual([
    "application/rss+xml; charset=utf-8",
    "application/atom+xml; charset=utf-8",
    "application/feed+json; charset=utf-8",
  ]);
  // Atom requires a title, also for a note.
  const titlesOf = (parts: typeof rss) =>
    parts?.entries.filter((entry: { title: string }) => !/^A note|^$/.test(entry.title));
  expect(titlesOf(atom)).toEqual(titlesOf(rss));
  expect(titlesOf(json)).toEqual(titlesOf(rss));
  expect(rss?.entries.map((entry: { title: string }) => entry.title)).toEqual(
    ["Only a title", "", "Control and", "Fish & <Chips> \"quoted\" 'twice'"].map((title) => title.trim()),
  );
});

test("special characters in the blog's title do not break a feed", async () => {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ title: "A\u0001 & <B>\uFFFE", description: "]]>" }).run();
  const channel = childNamed(xml(await page(at, "/feed.xml")), "channel");
  expect(textOf(channel, "title")).toBe("A & <B>");
  expect(textOf(xml(await page(at, "/feed.atom")), "title")).toBe("A & <B>");
});

test("every URL in a feed is absolute, also for a blog with a custom domain", async () => {
  const at = startPlaten();
  const shop = at.newBlog({ title: "Shop", slug: "shop", domain: "shop.test" });
  const upload = await at.fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${at.key}` },
    body: uploadForm(await picture(), "cat.jpg", { blog_id: String(shop.id) }),
  });
  const { attachment } = await upload.json();
  const content = `${attachment.html}<p><a href="/about?a=1&amp;b=2">in</a> <a href="#fn1">note</a>
    <a href="https://else.test/x">out</a> <a href="mailto:a@b.test">mail</a></p>`;
  await post(at, { title: "Spades", content }, shop.id);
  for (const path of FEEDS) {
    const feed = await feedAt(at, `http://shop.test${path}`);
    expect([feed.self, feed.home]).toEqual([`http://shop.test${path}`, "http://shop.test/"]);
    const [entry] = feed.entries;
    expect(entry.url).toBe("http://shop.test/spades");
    expect(entry.content).toContain(`src="${attachment.url}"`);
    expect(attachment.url).toStartWith("http://blog.test/media/");
    expect([...entry.content.matchAll(/href="([^"]*)"/g)].map((match: RegExpMatchArray) => match[1])).toEqual(
      [
        "http://shop.test/about?a=1&amp;b=2",
        "http://shop.test/spades#fn1",
        "https://else.test/x",
        "mailto:a@b.test",
      ],
    );
  }
  const json = JSON.parse(await page(at, "http://shop.test/feed.json"));
  expect(json.items[0].image).toBe(attachment.url);
});

test("a post keeps its id after a new slug, title and domain", async () => {
  const at = startPlaten();
  const { id } = await post(at, { title: "First" });
  const before = await Promise.all(FEEDS.map((path) => feedAt(at, path)));
  await at.api("PATCH", `/posts/${id}`, { post: { slug: "second", title: "Second" } });
  at.platen.db.update(blogs).set({ domain: "ada.test" }).where(eq(blogs.id, at.blog.id)).run();
  for (const [index, path] of FEEDS.entries()) {
    const [entry] = (await feedAt(at, `http://ada.test${path}`)).entries;
    expect([entry.id, entry.url]).toEqual([before[index]?.entries[0].id, "http://ada.test/second"]);
  }
});

test("a category has its own feeds with its posts only", async () => {
  const at = startPlaten();
  await post(at, { title: "Cat", category: "Pets" });
  await post(at, { title: "Car", category: "Tools" });
  const blogIds = new Set<string>();
  for (const path of FEEDS) {
    const feed = await feedAt(at, `/category/pets${path}`);
    expect(feed.entries.map((entry: { title: string }) => entry.title)).toEqual(["Cat"]);
    expect([feed.self, feed.home]).toEqual([
      `http://blog.test/category/pets${path}`,
      "http://blog.test/category/pets",
    ]);
  }
  for (const path of ["/feed.atom", "/category/pets/feed.atom"])
    blogIds.add(textOf(xml(await page(at, path)), "id"));
  expect(blogIds.size).toBe(2);
});

test("a feed has the newest 30 posts; equal times are in order of creation", async () => {
  const at = startPlaten();
  for (let number = 1; number <= 32; number++) await post(at, { title: `Post ${number}` });
  const { entries } = await feedAt(at, "/feed.json");
  expect(entries).toHaveLength(30);
  expect(entries[0].title).toBe("Post 32");
  expect(entries[29].title).toBe("Post 3");
});

test("an empty feed is valid", async () => {
  const at = startPlaten();
  for (const path of FEEDS) expect((await feedAt(at, path)).entries).toEqual([]);
  expect(textOf(xml(await page(at, "/feed.atom")), "updated")).toMatch(RFC_3339);
});

test("a reader that has the feed gets 304 until a post is added, changed or deleted", async () => {
  const at = startPlaten();
  const { id } = await post(at, { title: "Kept" });
  const { id: newest } = await post(at, { title: "Newest" });
  const isNew = async (path: string, etag: string) =>
    (await at.fetch(path, { headers: { "if-none-match": etag } })).status === 200;
  const changes: [string, string, object?][] = [
    ["PATCH", `/posts/${newest}`, { post: { title: "Changed" } }],
    ["PATCH", `/posts/${id}`, { post: { meta: { hide_in_rss: true } } }],
    ["DELETE", `/posts/${newest}`],
  ];
  for (const [method, path, body] of changes) {
    const etags = await Promise.all(
      FEEDS.map(async (feed) => (await at.fetch(feed)).headers.get("etag") as string),
    );
    for (const [index, feed] of FEEDS.entries())
      expect(await isNew(feed, etags[index] as string)).toBe(false);
    await at.api(method, path, body);
    for (const [index, feed] of FEEDS.entries()) expect(await isNew(feed, etags[index] as string)).toBe(true);
  }
});

test("scripts of other sites may read feeds", async () => {
  const at = startPlaten();
  for (const name of ["feed.xml", "feed.atom", "feed.json"]) {
    const { headers } = await at.fetch(`/${name}`, { headers: { origin: "https://other.example" } });
    expect([name, headers.get("access-control-allow-origin")]).toEqual([name, "*"]);
  }
});

test("Last-Modified is neither sent nor checked, because deletions do not change it", async () => {
  const at = startPlaten();
  await post(at, { title: "Now" });
  at.pass(HOUR);
  const headers = { "if-modified-since": "Sun, 01 Mar 2026 12:00:00 GMT" };
  const answer = await at.fetch("/feed.xml", { headers });
  expect([answer.status, answer.headers.get("last-modified")]).toEqual([200, null]);
});

test("pictures with srcset have absolute URLs too", async () => {
  const at = startPlaten();
  await post(at, { title: "Dense", content: '<img src="/a.png" srcset="/a.png 1x, b.png 2x">' });
  const { entries } = await feedAt(at, "/feed.json");
  expect(JSON.stringify(entries)).toContain("http://blog.test/a.png 1x, http://blog.test/b.png 2x");
});

test("the feed changes at the time of a scheduled post, not when it was written", async () => {
  const at = startPlaten();
  await post(at, { title: "Soon", published_at: "2026-03-01T13:00:00Z" });
  at.pass(2 * HOUR);
  expect(textOf(xml(await page(at, "/feed.atom")), "updated")).toBe("2026-03-01T13:00:00.000Z");
});

test("characters that XML does not allow are removed", async () => {
  const at = startPlaten();
  await post(at, { title: "Clean" });
  at.platen.db.update(posts).set({ title: "Un\u000Bclean", excerpt: "\u0002" }).run();
  at.platen.db.update(contents).set({ html: "<p>\u0002</p>" }).run();
  for (const path of ["/feed.xml", "/feed.atom"])
    expect((await feedAt(at, path)).entries[0].title).toBe("Unclean");
});
