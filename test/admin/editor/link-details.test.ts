import { afterAll, beforeAll, expect, test } from "bun:test";
import { picture } from "../../support/pictures";
import { type Owned, startOwned } from "../owner";

let owned: Owned;
let other: ReturnType<typeof Bun.serve>;
const PAGES: Record<string, string> = {
  "/plain": "<title>\n Plain &amp; simple </title><p>x",
  "/rich": `<title>No</title><meta property="og:title" content="Rich"><meta name="description" content="About"><meta property="og:site_name" content="A site"><meta property="og:image" content="/large.png">`,
  "/moved": "",
  "/in-body": "<body><title>Body</title>",
  "/deep": "<a>".repeat(200_000),
  "/late": `<!--${"x".repeat(1_100_000)}--><title>Late</title>`,
  "/nothing": "<p>x",
  "/long": `<meta property="og:title" content="Long ${"\u{1F600}".repeat(50_000)}"><meta property="og:image" content="https://a${"\u05B0\u0301\u0316\u0315".repeat(20_000)}/">`,
};
beforeAll(async () => {
  owned = await startOwned();
  Object.assign(owned.platen.config, { privateHosts: ["127.0.0.1"] });
  const small = await picture();
  other = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      const { pathname } = new URL(url);
      if (pathname === "/moved") return Response.redirect("/rich");
      if (pathname === "/picture") return new Response(small);
      if (pathname === "/large.png") return new Response(new Uint8Array(6 * 1024 * 1024));
      const page = PAGES[pathname];
      return page === undefined
        ? new Response("no", { status: 404 })
        : new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
    },
  });
});
afterAll(() => other.stop(true));

const ask = async (path: string, at = owned) =>
  await at.browser.post("/admin/blogs/ada/link-details", { address: new URL(path, other.url).href });
const detailsOf = async (path: string) => (await (await ask(path)).json()).details;

test("title and description are read from a page's head only, within its first megabyte", async () => {
  const plain = { title: "Plain & simple", description: "", site: "127.0.0.1", picture: null };
  expect(await detailsOf("/plain")).toEqual(plain);
  const rich = { title: "Rich", description: "About", site: "A site", picture: null };
  expect(await detailsOf("/rich")).toEqual(rich);
  expect(await detailsOf("/moved")).toEqual(rich);
  for (const path of ["/in-body", "/deep", "/late", "/nothing", "/gone", "/picture"])
    expect(await detailsOf(path)).toBe(null);
  // A picture over 5 MB is not stored.
  expect((await owned.api("GET", "/attachments")).body.attachments).toEqual([]);
});

test("a page with a long title and picture address does not block the server", async () => {
  const began = performance.now();
  const { title, picture } = await detailsOf("/long");
  expect(performance.now() - began).toBeLessThan(3000);
  expect(title.length).toBeLessThan(500);
  expect(picture).toBe(null);
});

test("private addresses, other schemes, other accounts and other sites are rejected", async () => {
  const at = await startOwned();
  expect(await (await ask("/plain", at)).json()).toEqual({ details: null });
  expect(at.log.join()).toContain("loopback");
  expect((await ask("file:///etc/passwd")).status).toBe(400);
  const path = "/admin/blogs/ada/link-details";
  const fields = { address: new URL("/plain", other.url).href };
  expect((await owned.browser.post(path, fields, { origin: "https://evil.test" })).status).toBe(403);
  const body = new URLSearchParams(fields);
  expect(
    (await owned.fetch(path, { method: "POST", body, headers: { origin: "http://blog.test" } })).status,
  ).toBe(401);
  const reader = await owned.browserOf(owned.newAccount("eve@example.com"));
  expect((await reader.post(path, fields)).status).toBe(403);
});
