import { expect, test } from "bun:test";
import { mf2 } from "microformats-parser";
import sharp from "sharp";
import { blogs } from "../../src/database/schema";
import { picture, uploadForm } from "../support/pictures";
import { startPlaten, type TestPlaten } from "../support/platen";
import { page, post } from "./posting";

async function read(at: TestPlaten, path: string) {
  return mf2(await page(at, path), { baseUrl: `http://blog.test${path}` });
}

async function upload(
  at: TestPlaten,
  name: string,
  width = 64,
  height = 48,
): Promise<{ html: string; url: string }> {
  const answer = await at.fetch("/api/v1/attachments", {
    method: "POST",
    headers: { authorization: `Bearer ${at.key}` },
    body: uploadForm(await picture(width, height), name, { "attachment[caption]": "A cat" }),
  });
  return (await answer.json()).attachment;
}

/** property or name → content of the page's meta elements. */
async function metaOf(at: TestPlaten, path: string): Promise<Record<string, string>> {
  const found = (await page(at, path)).matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name, content]) => [name, content]));
}

async function dataOf(at: TestPlaten, path: string) {
  const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(await page(at, path)) ?? [];
  return json && JSON.parse(json);
}

test("a post is an h-entry with all properties that microformats readers use", async () => {
  const at = startPlaten();
  await post(at, {
    title: "Cats & dogs",
    content: "<p>All <b>animals</b>.</p>",
    category: "Pets",
    tags: ["one", "two"],
    published_at: "2026-02-28T10:00:00Z",
  });
  const { items } = await read(at, "/cats-dogs");
  expect(items).toHaveLength(1);
  const [entry] = items;
  expect(entry?.type).toEqual(["h-entry"]);
  expect(entry?.properties).toMatchObject({
    name: ["Cats & dogs"],
    url: ["http://blog.test/cats-dogs"],
    published: ["2026-02-28T10:00:00+00:00"],
    category: ["Pets", "one", "two"],
    content: [{ html: "<p>All <b>animals</b>.</p>", value: "All animals." }],
    author: [{ type: ["h-card"], properties: { name: ["Ada"], url: ["http://blog.test/"] } }],
  });
});

test("a note's picture is u-photo, an article's u-featured", async () => {
  const at = startPlaten();
  const { html, url } = await upload(at, "cat.jpg");
  await post(at, { content: html, slug: "note" });
  await post(at, { title: "Article", content: html });
  const path = new URL(url).pathname;
  const [note] = (await read(at, "/note")).items;
  expect(note?.properties.photo).toEqual([`http://blog.test${path}`]);
  const [article] = (await read(at, "/article")).items;
  expect(article?.properties.photo).toBeUndefined();
  expect(article?.properties.featured).toEqual([`http://blog.test${path}`]);
});

test("lists are h-feeds of the same entries, with their author", async () => {
  const at = startPlaten();
  await post(at, { title: "One", category: "Pets", tags: ["tame"] });
  await post(at, { content: "<p>A note</p>", category: "Pets", tags: ["tame"] });
  for (const path of ["/", "/category/pets", "/tag/tame"]) {
    const { items } = await read(at, path);
    expect(items.map((item) => item.type)).toEqual([["h-feed"]]);
    const [feed] = items;
    expect(feed?.properties.author).toMatchObject([
      {
        type: ["h-card"],
        properties: { name: ["Ada"], url: ["http://blog.test/"], uid: ["http://blog.test/"] },
      },
    ]);
    expect(feed?.children?.map((child) => child.properties.url)).toEqual([
      ["http://blog.test/a-note"],
      ["http://blog.test/one"],
    ]);
  }
});

test("only the home page has the owner's rel=me links", async () => {
  const at = startPlaten();
  at.platen.db
    .update(blogs)
    .set({ profiles: ["https://social.test/@ada"] })
    .run();
  await post(at, { title: "One" });
  expect((await read(at, "/")).rels.me).toEqual(["https://social.test/@ada"]);
  expect((await read(at, "/one")).rels.me).toBeUndefined();
});

test("every page links to the feeds, a category's page to its own first", async () => {
  const at = startPlaten();
  await post(at, { title: "One", category: "Pets" });
  const feeds = ["feed.xml", "feed.atom", "feed.json"].map((name) => `http://blog.test/${name}`);
  for (const path of ["/", "/one", "/archive", "/search"])
    expect((await read(at, path)).rels.alternate).toEqual(feeds);
  expect((await read(at, "/category/pets")).rels.alternate?.slice(0, 3)).toEqual(
    ["feed.xml", "feed.atom", "feed.json"].map((name) => `http://blog.test/category/pets/${name}`),
  );
});

test("a post's og:image is its first picture, in a moderate size", async () => {
  const at = startPlaten();
  const [small, large] = [await upload(at, "small.jpg"), await upload(at, "large.jpg", 3000, 1500)];
  await post(at, { title: "Small", content: small.html });
  await post(at, { title: "Large", content: large.html });
  expect(await metaOf(at, "/small")).toMatchObject({
    "og:image": small.url,
    "og:image:width": "64",
    "og:image:height": "48",
    "og:image:alt": "A cat",
    "twitter:card": "summary_large_image",
  });
  const meta = await metaOf(at, "/large");
  expect([meta["og:image:width"], meta["og:image:height"]]).toEqual(["1440", "720"]);
  const shown = await at.fetch(meta["og:image"] as string);
  expect((await sharp(await shown.bytes()).metadata()).width).toBe(1440);
});

test("another picture, or none, can be chosen as preview; values sent back from a response choose nothing", async () => {
  const at = startPlaten();
  const [one, two] = [await upload(at, "one.jpg"), await upload(at, "two.jpg")];
  const made = await post(at, { title: "Two", content: one.html + two.html, preview_image: "two.jpg" });
  const imageNow = async () => {
    const shown = (await at.api("GET", `/posts/${made.id}`)).body.post;
    const [item] = (await (await at.fetch("/feed.json")).json()).items;
    expect(item.image ?? null).toBe(shown.preview_image);
    const meta = (await metaOf(at, "/two"))["og:image"];
    if (shown.preview_image) expect(meta).toBe(shown.preview_image);
    return shown.preview_image ?? meta;
  };
  const choose = async (preview_image: string | null) =>
    (await at.api("PATCH", `/posts/${made.id}`, { post: { preview_image } })).body.post;
  const { updated_at: before } = await choose("two.jpg");
  expect(await imageNow()).toBe(two.url);
  await choose("none");
  expect(await imageNow()).toContain("/card");
  await choose(null);
  expect(await imageNow()).toContain("/card");
  await choose("first");
  expect(await imageNow()).toBe(one.url);
  at.pass(1000);
  expect((await choose(one.url)).updated_at).toBe(before);
  await choose(two.url);
  expect(await imageNow()).toBe(two.url);
  // The chosen picture was removed, so the first one is used.
  await at.api("PATCH", `/posts/${made.id}`, { post: { content: one.html } });
  expect(await imageNow()).toBe(one.url);
});

test("Open Graph and schema.org describe a post alike", async () => {
  const at = startPlaten();
  await post(at, { title: "Cats", content: "<p>They purr.</p>", category: "Pets", tags: ["tame"] });
  expect(await metaOf(at, "/cats")).toMatchObject({
    "og:type": "article",
    "og:title": "Cats",
    "og:description": "They purr.",
    "og:url": "http://blog.test/cats",
    "og:site_name": "Ada&#x27;s Blog",
    "article:published_time": "2026-03-01T12:00:00.000Z",
    "article:section": "Pets",
    "article:tag": "tame",
  });
  expect(await dataOf(at, "/cats")).toMatchObject({
    "@context": "https://schema.org",
    "@type": "BlogPosting",
    headline: "Cats",
    description: "They purr.",
    mainEntityOfPage: "http://blog.test/cats",
    datePublished: "2026-03-01T12:00:00.000Z",
    author: { "@type": "Person", name: "Ada", url: "http://blog.test/" },
    keywords: ["Pets", "tame"],
  });
  expect(await dataOf(at, "/")).toMatchObject({ "@type": "Blog", name: "Ada's Blog" });
});

test("a page is a website, not an article", async () => {
  const at = startPlaten();
  await post(at, { title: "About", type: "page" });
  const meta = await metaOf(at, "/about");
  expect([meta["og:type"], meta["article:published_time"]]).toEqual(["website", undefined]);
  expect((await dataOf(at, "/about"))["@type"]).toBe("WebPage");
});

test("a title cannot break out of the structured data", async () => {
  const at = startPlaten();
  const title = "</script><script>alert(1)</script><!-- \u2028";
  await post(at, { title, slug: "marked" });
  expect((await page(at, "/marked")).match(/<script/g)).toHaveLength(1);
  expect((await dataOf(at, "/marked")).headline).toBe(title.trim());
});

test("a page has the direction of its language", async () => {
  const at = startPlaten();
  for (const [language, direction] of [
    ["he", "rtl"],
    ["ar-EG", "rtl"],
    ["az-Arab", "rtl"],
    ["ja", "ltr"],
    ["az", "ltr"],
  ] as const) {
    at.platen.db.update(blogs).set({ language }).run();
    expect(await page(at, "/")).toContain(`<html lang="${language}" dir="${direction}">`);
  }
});

test("interface texts are marked as English if there is no translation", async () => {
  const at = startPlaten();
  await post(at, { title: "Tea" });
  const elementsInEnglish = async (path: string) =>
    [...(await page(at, path)).matchAll(/<(\w+)[^>]* lang="en"/g)].map((match) => match[1]);
  for (const path of ["/", "/archive", "/tea", "/nothing"])
    expect([path, await elementsInEnglish(path)]).toEqual([path, ["html"]]);

  at.platen.db.update(blogs).set({ language: "he" }).run();
  expect(await elementsInEnglish("/")).toEqual(["a", "nav"]);
  expect(await elementsInEnglish("/archive")).toEqual(["a", "h1", "nav"]);
  expect(await page(at, "/search?q=x")).toContain(
    '<p class="results"><span lang="en" dir="ltr">No results for “x”.',
  );
  expect(await page(at, "/komments/tea")).toContain('<main id="main" lang="en" dir="ltr">');
  expect(await page(at, "/komments/tea")).toContain('<a href="/tea" lang="he" dir="auto">Tea</a>');
  expect(await page(at, "/nothing")).toContain('<main id="main" lang="en" dir="ltr">');
});
