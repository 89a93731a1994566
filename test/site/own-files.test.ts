import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { site } from "../../src/site/serving/site";
import { MINUTE, startPlaten, type TestPlaten } from "../support/platen";

function put({ platen }: TestPlaten, path: string, content: string | Uint8Array): void {
  const file = join(platen.config.data, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const answerAt = async (at: TestPlaten, path: string) => {
  const answer = await at.fetch(path);
  return [answer.status, await answer.text()];
};

test("a file in public/ is served at the blog's root at once, with the type of its extension", async () => {
  const at = startPlaten();
  expect((await at.fetch("/ads.txt")).status).toBe(404);
  put(at, "public/ads.txt", "ads");
  const answer = await at.fetch("/ads.txt");
  expect([answer.status, await answer.text()]).toEqual([200, "ads"]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/plain;charset=utf-8",
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=300",
    etag: expect.stringMatching(/^"/),
  });
  put(at, "public/ads.txt", "other ads");
  expect(await answerAt(at, "/ads.txt")).toEqual([200, "other ads"]);

  put(at, "public/.well-known/acme-challenge/token", "token");
  put(at, "public/fonts/two words é.woff2", "font");
  const token = await at.fetch("/.well-known/acme-challenge/token");
  expect([await token.text(), token.headers.get("content-type")]).toEqual([
    "token",
    "text/plain; charset=utf-8",
  ]);
  const font = await at.fetch("/fonts/two%20words%20%C3%A9.woff2?v=2");
  expect([font.status, font.headers.get("content-type")]).toEqual([200, "font/woff2"]);
});

test("a client that has the file gets 304; HEAD and Range work", async () => {
  const at = startPlaten();
  put(at, "public/cv.pdf", "0123456789");
  const server = Bun.serve({ port: 0, fetch: site(at.platen).fetch });
  try {
    const url = `${server.url.origin}/cv.pdf`;
    const whole = await fetch(url);
    const etag = whole.headers.get("etag") as string;
    expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    const part = await fetch(url, { headers: { range: "bytes=2-4" } });
    expect([part.status, await part.text()]).toEqual([206, "234"]);
  } finally {
    await server.stop(true);
  }
});

test("links, folders, pipes, dotfiles and paths outside the folder are not served", async () => {
  const at = startPlaten();
  put(at, "secret.txt", "secret");
  put(at, "public/real.txt", "real");
  put(at, "public/.env", "secret");
  put(at, "public/.git/config", "secret");
  put(at, "public/.well-known/.hidden", "secret");
  const data = at.platen.config.data;
  symlinkSync(join(data, "secret.txt"), join(data, "public/out.txt"));
  symlinkSync(join(data, "public/real.txt"), join(data, "public/in.txt"));
  symlinkSync(data, join(data, "public/folder"));
  execFileSync("mkfifo", [join(data, "public/pipe")]);
  expect(await answerAt(at, "/real.txt")).toEqual([200, "real"]);
  for (const path of [
    ...["/out.txt", "/in.txt", "/folder/secret.txt", "/folder/platen.db", "/pipe", "/.env", "/.git/config"],
    ...["/.well-known/.hidden", "/.well-known", "/.well-known/", "/%2e%2e/secret.txt", "/..%2fsecret.txt"],
    ...["/%2e%2e%2fsecret.txt", "/real.txt/", "/real.txt%00", "//real.txt", "/.%2freal.txt", "/a%5creal.txt"],
    ...[`/${"x".repeat(400)}`, "/%ff"],
  ]) {
    const answer = await at.fetch(path);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(await answer.text()).not.toContain("secret");
  }
});

test("a file replaces icons, robots.txt and security.txt, and nothing else", async () => {
  const at = startPlaten();
  const own = ["favicon.ico", "favicon.svg", "icon-180.png", "robots.txt", ".well-known/security.txt"];
  const others = ["feed.xml", "sitemap.xml", "site.webmanifest", "archive", "tag/x", "livez", "assets/x.css"];
  const url = (path: string) => `http://blog.test/${path}`;
  for (const path of [...own, ...others]) await (await at.fetch(url(path))).bytes();
  for (const path of [...own, ...others]) if (path !== "tag/x") put(at, `public/${path}`, "mine");
  at.pass(MINUTE);
  for (const path of own) expect([path, ...(await answerAt(at, url(path)))]).toEqual([path, 200, "mine"]);
  for (const path of others) expect(await (await at.fetch(url(path))).text()).not.toBe("mine");
});

test("a post, even a draft, takes precedence over a file with its path", async () => {
  const at = startPlaten();
  put(at, "public/tea", "file");
  expect(await answerAt(at, "/tea")).toEqual([200, "file"]);
  const { body } = await at.api("POST", "/posts", { post: { title: "Tea", slug: "tea", status: "draft" } });
  expect((await at.fetch("/tea")).status).toBe(404);
  await at.api("PATCH", `/posts/${body.post.id}`, { post: { status: "published" } });
  expect(await (await at.fetch("/tea")).text()).toContain("<h1");
});

test("public/NAME belongs to the blog of that name, at its URL only", async () => {
  const at = startPlaten();
  const blog = at.newBlog({ slug: "garden" });
  at.newBlog({ slug: "shop", domain: "shop.test" });
  put(at, "public/garden/ads.txt", "garden");
  put(at, "public/shop/ads.txt", "shop");
  put(at, "public/home.txt", "home");
  expect(blog.slug).toBe("garden");
  expect(await answerAt(at, "/@garden/ads.txt")).toEqual([200, "garden"]);
  expect((await at.fetch("/garden/ads.txt")).status).toBe(404);
  expect((await at.fetch("/@garden/home.txt")).status).toBe(404);
  expect(await answerAt(at, "http://shop.test/ads.txt")).toEqual([200, "shop"]);
  expect((await at.fetch("/@shop/ads.txt")).headers.get("location")).toBe("http://shop.test/ads.txt");
  expect((await at.fetch("http://shop.test/home.txt")).status).toBe(404);
});

test("HTML and SVG are served without running scripts on the admin's host", async () => {
  const at = startPlaten();
  put(at, "public/google1234.html", "google-site-verification: google1234.html");
  put(at, "public/logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>");
  for (const [path, type] of [
    ["/google1234.html", "text/html;charset=utf-8"],
    ["/logo.svg", "image/svg+xml"],
  ] as const) {
    const { headers } = await at.fetch(path);
    expect(headers.get("content-type")).toBe(type);
    expect(headers.get("content-security-policy")).toMatch(/; sandbox$/);
  }
});
