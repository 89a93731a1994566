import { describe, expect, test } from "bun:test";
import { configureBlog } from "../../src/blogs/blog-settings";
import { THEME_NAMES } from "../../src/themes/theme-list";
import { page, post } from "../site/posting";
import { startOwned } from "./owner";

const THEME = "/admin/blogs/ada/settings/theme";
const LOOK = "/admin/blogs/ada/look";

const sheetIn = (markup: string) =>
  (/<link rel="stylesheet" href="([^"]+)"/.exec(markup)?.[1] ?? "").replaceAll("&amp;", "&");

describe("choosing a theme", () => {
  test("the preview shows the real blog with another theme and accent, and changes nothing for readers", async () => {
    const owned = await startOwned();
    await post(owned, { title: "Tea", content: "<p>Two cups.</p>" });
    configureBlog(owned.platen, owned.blog, { css: "a{letter-spacing:1px}" });
    const before = await page(owned, "/");
    const choice = await (await owned.browser.get(`${THEME}?theme=photo&accent=%231d6b57`)).text();
    const frames = [...choice.matchAll(/<iframe sandbox[^>]* src="([^"]+)"/g)].map(([, src]) =>
      (src as string).replaceAll("&amp;", "&"),
    );
    expect(frames).toHaveLength(THEME_NAMES.length + 2);
    expect(frames.slice(THEME_NAMES.length)).toEqual([
      `${LOOK}/home?theme=photo&accent=%231d6b57`,
      `${LOOK}/post?theme=photo&accent=%231d6b57`,
    ]);
    for (const frame of frames.slice(THEME_NAMES.length)) {
      const tried = await owned.browser.get(frame);
      const markup = await tried.text();
      expect(markup).toContain("Tea");
      expect(tried.headers.get("cache-control")).toBe("no-store");
      expect(tried.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
      const sheet = await (await owned.fetch(sheetIn(markup))).text();
      expect(sheet).toContain("Instrument Sans Variable");
      expect(sheet).toContain("--accent:#1d6b57");
      expect(sheet).toContain("letter-spacing:1px");
      // Sandboxed frames have an opaque origin.
      const font = await owned.fetch(/href="([^"]+\.woff2)"/.exec(markup)?.[1] as string);
      expect(font.headers.get("access-control-allow-origin")).toBe("*");
    }
    expect(await page(owned, "/")).toBe(before);
    await owned.browser.post(THEME, { theme: "photo", accent: "#1d6b57" });
    expect((await owned.api("GET", "/blogs/1")).body.blog).toMatchObject({
      theme: "photo",
      accent: "#1d6b57",
    });
    const used = await (await owned.fetch(sheetIn(await page(owned, "/")))).text();
    expect(used).toContain("--accent:#1d6b57");
  });

  test("the page may frame only pages of this host", async () => {
    const owned = await startOwned();
    const policy = (await owned.browser.get(THEME)).headers.get("content-security-policy");
    expect(policy).toContain("frame-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
  });

  test("a blog without posts is previewed with its home page only", async () => {
    const owned = await startOwned();
    const choice = await (await owned.browser.get(THEME)).text();
    expect(choice.match(/<iframe/g)).toHaveLength(THEME_NAMES.length + 1);
    expect((await owned.browser.get(`${LOOK}/post?theme=sans`)).status).toBe(404);
  });

  test("an error is shown in the frame, also in the preview of a post", async () => {
    const owned = await startOwned();
    const strangers = await owned.browserOf(owned.newAccount("eve@example.com"));
    for (const [answer, status, says] of [
      [await owned.fetch(`${LOOK}/home`), 401, "Sign in first."],
      [await owned.browser.get(`${LOOK}/post`), 404, "There is no such page at this address."],
      [await strangers.get(`${LOOK}/home`), 403, "belongs to another account"],
      [
        await owned.fetch("/admin/blogs/ada/preview", { method: "POST", body: new FormData() }),
        401,
        "Sign in",
      ],
    ] as const) {
      expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(says)]);
      expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    }
    const elsewhere = await owned.browser.get("/no/such/page");
    expect(elsewhere.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  test("only the blog's owner sees the preview", async () => {
    const owned = await startOwned();
    const eve = await owned.browserOf(owned.newAccount("eve@example.com"));
    expect((await eve.get(`${LOOK}/home?theme=sans`)).status).toBe(403);
    expect((await owned.fetch(`${LOOK}/home?theme=sans`)).status).toBe(401);
    expect((await owned.browser.get(`${LOOK}/elsewhere`)).status).toBe(404);
  });

  test("invalid values are neither previewed nor saved", async () => {
    const owned = await startOwned();
    const odd = await owned.browser.get(`${THEME}?theme=nonsense&accent=red`);
    expect(await odd.text()).toContain("Accent must be a color like #8a3b12.");
    expect((await owned.browser.get(`${LOOK}/home?theme=toString&accent=%22%3E`)).status).toBe(200);
    for (const wrong of [
      { theme: "nonsense", accent: "" },
      { theme: "sans", accent: "red" },
    ])
      expect((await owned.browser.post(THEME, wrong)).status).toBe(422);
    expect((await owned.api("GET", "/blogs/1")).body.blog).toMatchObject({ theme: "serif", accent: "" });
    expect((await owned.fetch("/assets/look-9.abc.css?theme=sans")).status).toBe(404);
  });
});
