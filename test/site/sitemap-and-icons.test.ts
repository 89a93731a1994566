import { expect, test } from "bun:test";
import sharp from "sharp";
import { blogs, posts } from "../../src/database/schema";
import { inTransaction } from "../../src/database/transactions";
import { startPlaten } from "../support/platen";
import { page, post } from "./posting";
import { childrenNamed, textOf, xml } from "./xml";

test("the sitemap lists the blog and its posts with their URLs, newest first", async () => {
  const at = startPlaten();
  await post(at, { title: "Older", published_at: "2026-02-01T10:00:00Z" });
  await post(at, { title: "Newer" });
  const answer = await at.fetch("/sitemap.xml");
  expect(answer.headers.get("content-type")).toStartWith("application/xml");
  const root = xml(await answer.text());
  expect(root.attributes.xmlns).toBe("http://www.sitemaps.org/schemas/sitemap/0.9");
  const urls = childrenNamed(root, "url");
  expect(urls.map((url) => textOf(url, "loc"))).toEqual([
    "http://blog.test/",
    "http://blog.test/newer",
    "http://blog.test/older",
  ]);
  expect(textOf(urls[1] as (typeof urls)[0], "lastmod")).toBe("2026-03-01T12:00:00.000Z");
});

test("the sitemap of a large blog is an index of sitemaps that list each post once", async () => {
  const at = startPlaten();
  await post(at, { title: "Post 1" });
  const { id, ...row } = at.platen.db.select().from(posts).get() as typeof posts.$inferSelect;
  const add = (slug: string) =>
    at.platen.db
      .insert(posts)
      .values({ ...row, slug })
      .run();
  inTransaction(at.platen, () => {
    for (let number = 2; number <= 2005; number++) add(`post-${number}`);
  });
  const index = xml(await page(at, "/sitemap.xml"));
  const parts = childrenNamed(index, "sitemap").map((part) => textOf(part, "loc"));
  expect(index.name).toBe("sitemapindex");
  expect(parts).toEqual([1, 2, 3].map((part) => `http://blog.test/sitemap.xml?part=${part}`));
  const documents = await Promise.all(parts.map(async (part) => xml(await page(at, part))));
  const places = documents.flatMap((root) => childrenNamed(root, "url").map((url) => textOf(url, "loc")));
  const named = Array.from({ length: 2005 }, (_, at) => `http://blog.test/post-${at + 1}`);
  expect(places.toSorted()).toEqual(["http://blog.test/", ...named].toSorted());
  for (const part of ["4", "0", "x", ""])
    expect((await at.fetch(`/sitemap.xml?part=${part}`)).status).toBe(404);
});

test("robots.txt of a host lists the sitemaps of its blogs only", async () => {
  const at = startPlaten();
  at.newBlog({ title: "Garden", slug: "garden" });
  at.newBlog({ title: "Shop", slug: "shop", domain: "shop.test" });
  expect(await page(at, "/robots.txt")).toBe(
    [
      "User-agent: *",
      "Disallow: /search",
      "Disallow: /@garden/search",
      "",
      "Sitemap: http://blog.test/sitemap.xml",
      "Sitemap: http://blog.test/@garden/sitemap.xml",
      "",
    ].join("\n"),
  );
  expect(await page(at, "http://shop.test/robots.txt")).toContain("Sitemap: http://shop.test/sitemap.xml");
  expect(await page(at, "http://shop.test/robots.txt")).not.toContain("garden");
  expect(await page(at, "/@garden/robots.txt")).toContain("Sitemap: http://blog.test/@garden/sitemap.xml");
});

test("icons exist in every form that browsers and phones request", async () => {
  const at = startPlaten();
  const svg = await at.fetch("/favicon.svg");
  expect(svg.headers.get("content-type")).toBe("image/svg+xml");
  expect(xml(await svg.text()).text).toBe("A");
  for (const [path, size] of [
    ["/favicon.ico", 48],
    ["/icon-180.png", 180],
    ["/icon-192.png", 192],
    ["/icon-512.png", 512],
  ] as const) {
    const answer = await at.fetch(path);
    const { width, height } = await sharp(await answer.bytes()).metadata();
    expect([answer.headers.get("content-type"), width, height]).toEqual(["image/png", size, size]);
  }
  expect((await at.fetch("/icon-4000.png")).status).toBe(404);
});

test("a blog whose name has no drawable letter has icons too", async () => {
  const at = startPlaten();
  for (const title of ["漢字", "🦊", "Ωmega"]) {
    at.platen.db.update(blogs).set({ title }).run();
    for (const path of ["/favicon.svg", "/favicon.ico", "/icon-192.png"])
      expect([title, path, (await at.fetch(path)).status]).toEqual([title, path, 200]);
  }
});

test("the manifest links to the blog and to existing icons", async () => {
  const at = startPlaten();
  at.newBlog({ title: "Garden", slug: "garden" });
  const answer = await at.fetch("/@garden/site.webmanifest");
  expect(answer.headers.get("content-type")).toStartWith("application/manifest+json");
  const manifest = await answer.json();
  expect(manifest).toMatchObject({ name: "Garden", start_url: "/@garden/", scope: "/@garden/", lang: "en" });
  for (const { src } of manifest.icons) expect((await at.fetch(src)).status).toBe(200);
  expect((await at.fetch("/@garden/")).headers.get("content-security-policy")).toContain(
    "manifest-src 'self'",
  );
});
