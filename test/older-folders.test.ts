import { afterEach, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import sharp from "sharp";
import { platenApp } from "../src/app";
import { readSettings } from "../src/config/config";
import { closeDatabase, openDatabase } from "../src/database/open";
import { posts } from "../src/database/schema";
import { listDeliveries } from "../src/deliveries/delivery-log-and-redelivery";
import type { Platen } from "../src/platen";
import { webhookChannel } from "../src/webhooks/webhook-channel";
import known from "./fixtures/known.json";
import { olderFolder } from "./support/older-folder";
import { runPlaten } from "./support/program";

/** Data folders of earlier releases with the same content: see fixtures/README.md. */
const folders = Object.entries(known).map(([name, { key, madeAt }]) => ({ name, key, madeAt }));

const opened: Platen[] = [];
afterEach(() => {
  for (const { db } of opened.splice(0)) closeDatabase(db);
});

describe.each(folders)("$name, opened by this program,", ({ name, key, madeAt }) => {
  test("serves its pages, feeds and pictures at the same addresses", async () => {
    const { page, fetch } = open(name, madeAt);
    const tea = await page("/tea");
    expect(tea).toStartWith("200 ");
    for (const part of ["Tea, again", "Green <em>tea</em>", "hljs-keyword", "Two cups.", "slow mornings"])
      expect(tea).toContain(part);
    const moved = await fetch("/about-tea");
    expect([moved.status, moved.headers.get("location")]).toEqual([301, "http://blog.test/tea"]);
    expect(await page("/agreed")).toContain('class="u-in-reply-to');
    expect(await page("http://garden.test/seeds")).toContain("Sown.");
    for (const feed of ["/feed.xml", "/feed.json", "/sitemap.xml"])
      expect(await page(feed)).toContain("/tea");
    for (const path of ["/unfinished", "/later"]) expect(await page(path)).toStartWith("404 ");

    const [, address] = /<img src="([^"]+)" [^>]*alt="A cat asleep"/.exec(await page("/cat")) ?? [];
    const picture = await (await fetch(address as string)).bytes();
    expect(await sharp(picture).metadata()).toMatchObject({ format: "webp", width: 32, height: 24 });
  });

  test("shows excerpts of posts that have none stored", async () => {
    const { platen, page } = open(name, madeAt);
    const lists = async () => [await page("/"), await page("/archive"), await page("/feed.json")];
    const before = await lists();
    expect(before[0]).toContain('<p class="p-summary">');
    platen.db.update(posts).set({ excerpt: null }).run();
    expect(await lists()).toEqual(before);
    platen.db.update(posts).set({ excerpt: "Other." }).where(eq(posts.slug, "tea")).run();
    expect((await lists())[0]).toContain('<p class="p-summary">Other.</p>');
  });

  test("accepts its API key", async () => {
    const { fetch } = open(name, madeAt);
    const posts = async (query: string) => {
      const headers = { authorization: `Bearer ${key}` };
      return (await (await fetch(`/api/v1/posts?${query}`, { headers })).json()).posts;
    };
    expect(await posts("status=draft")).toMatchObject([{ title: "Unfinished" }]);
    expect(await posts("status=scheduled")).toMatchObject([{ title: "Later" }]);
    expect(await posts("search=cups")).toMatchObject([
      { title: "Tea, again", category: { name: "Kitchen" }, tags: ["tea", "slow mornings"] },
    ]);
  });

  test("keeps komments, messages and webhook deliveries", async () => {
    const { platen, page } = open(name, madeAt);
    expect(await page("/tea")).toContain("Well <em>said</em>.");
    expect(await page("/tea")).not.toContain("Nobody sees this.");
    expect(await page("/contact")).toContain('href="/komments/contact/contact"');
    const messages = await runPlaten(["message", "list", "--json", "--data", platen.config.data]);
    expect(JSON.parse(messages.stdout)).toMatchObject([{ name: "Alan", text: "Hello, Ada!" }]);
    expect(listDeliveries(platen, webhookChannel)).toContainEqual(
      expect.objectContaining({ event: "post.published", state: "delivered" }),
    );
  });

  test("passes `platen check` without migration, and can be backed up", async () => {
    const data = olderFolder(name);
    const before = readFileSync(join(data, "platen.db"));
    const checked = await runPlaten(["check", "--data", data]);
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Everything is in order: 7 posts"),
    });
    const backups = join(data, "../backups");
    expect((await runPlaten(["backup", backups, "--data", data])).code).toBe(0);
    expect(
      (await runPlaten(["check", "--data", join(backups, readdirSync(backups)[0] as string)])).code,
    ).toBe(0);
    expect(readFileSync(join(data, "platen.db"))).toEqual(before);
  });

  test("passes `platen check`", async () => {
    const { platen } = open(name, madeAt);
    const checked = await runPlaten(["check", "--data", platen.config.data]);
    expect(checked).toEqual({ code: 0, stdout: "Everything is in order: 7 posts, 1 file.\n", stderr: "" });
  });
});

/** Opens a migrated copy of the folder, at the time it was created. */
function open(name: string, madeAt: string) {
  const data = olderFolder(name);
  const log: string[] = [];
  const platen: Platen = {
    config: { ...readSettings({ data }, {}), url: "http://blog.test" },
    db: openDatabase(data),
    now: () => new Date(madeAt),
    log: (line) => log.push(line),
  };
  opened.push(platen);
  const app = platenApp(platen);
  const fetch = (path: string, init?: RequestInit) =>
    app.handle(new Request(new URL(path, "http://blog.test"), init));
  const page = async (path: string) => {
    const response = await fetch(path);
    return `${response.status} ${await response.text()}`;
  };
  return { platen, fetch, page };
}
