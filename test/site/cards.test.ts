import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { configureBlog } from "../../src/blogs/blog-settings";
import { blogs } from "../../src/database/schema";
import { THEME_NAMES, themeNamed } from "../../src/themes/theme-list";
import { startPlaten, type TestPlaten } from "../support/platen";
import { page, post } from "./posting";

async function cardOf(at: TestPlaten, path: string): Promise<string> {
  const [, address] = /<meta property="og:image" content="([^"]+)">/.exec(await page(at, path)) ?? [];
  return address as string;
}

/** Share of the picture that is neither paper nor bar: 0 for an empty card. */
async function inkShare(answer: Response): Promise<number> {
  const image = sharp(await answer.bytes());
  const { width, height } = await image.metadata();
  expect([width, height]).toEqual([1200, 630]);
  const { data } = await image
    .extract({ left: 0, top: 20, width: 1200, height: 500 })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return data.filter((grey) => grey < 128).length;
}

const storedCards = (at: TestPlaten) =>
  readdirSync(join(at.platen.config.data, "pictures")).filter((name) => name.startsWith("card-"));

test("a post without a picture has a title card, drawn once and cached", async () => {
  const at = startPlaten();
  await post(at, { title: "Short" });
  await post(at, {
    title: "A much longer title that has to go over several lines of the card",
    slug: "long",
  });
  const [short, long] = [
    await at.fetch(await cardOf(at, "/short")),
    await at.fetch(await cardOf(at, "/long")),
  ];
  expect([short.status, short.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(short.headers.get("cache-control")).toContain("immutable");
  const [little, much] = [await inkShare(short), await inkShare(long)];
  expect(little).toBeGreaterThan(1000);
  expect(much).toBeGreaterThan(little);
  expect(storedCards(at)).toHaveLength(2);
  expect((await at.fetch(await cardOf(at, "/short"))).status).toBe(200);
  expect(storedCards(at)).toHaveLength(2);
});

test("a card has the font and paper of the theme, and Inter for missing letters", async () => {
  const at = startPlaten();
  await post(at, { title: "Short" });
  await post(at, { title: "Приливы", slug: "tides" });
  const cards = new Set<string>();
  for (const theme of THEME_NAMES) {
    configureBlog(at.platen, at.blog, { theme });
    const answer = await at.fetch(await cardOf(at, "/short"));
    const image = sharp(await answer.bytes());
    const { data } = await image
      .clone()
      .extract({ left: 5, top: 600, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(`#${data.subarray(0, 3).toHex()}`).toBe(themeNamed(theme).paper);
    cards.add(
      Bun.hash(
        await image.extract({ left: 0, top: 20, width: 1200, height: 500 }).threshold(128).raw().toBuffer(),
      ).toString(),
    );
    expect(await inkShare(await at.fetch(await cardOf(at, "/tides")))).toBeGreaterThan(1000);
  }
  expect(cards.size).toBe(THEME_NAMES.length);
});

test("a new title gets a new card, and the old one is deleted", async () => {
  const at = startPlaten();
  const { id } = await post(at, { title: "Before", slug: "it" });
  const before = await cardOf(at, "/it");
  await at.fetch(before);
  await at.api("PATCH", `/posts/${id}`, { post: { title: "After" } });
  const after = await cardOf(at, "/it");
  expect(after).not.toBe(before);
  expect((await at.fetch(before)).status).toBe(404);
  expect((await at.fetch(after)).status).toBe(200);
  expect(storedCards(at)).toHaveLength(1);
});

test("cards are drawn for live posts only", async () => {
  const at = startPlaten();
  const { id } = await post(at, { title: "Mine" });
  const card = await cardOf(at, "/mine");
  for (const path of [
    `/assets/card/${id}.0123456789abcdef.png`,
    `/assets/card/999.0123456789abcdef.png`,
    "/assets/card/x.png",
  ])
    expect((await at.fetch(path)).status).toBe(404);
  await at.fetch(card);
  await at.api("PATCH", `/posts/${id}/unpublish`);
  expect((await at.fetch(card)).status).toBe(404);
});

test("titles with markup, emoji or letters missing in the font get cards too", async () => {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ title: "漢字" }).run();
  for (const [slug, title] of [
    ["markup", "<b>&amp; 5 < 6 </span>"],
    ["emoji", "🦊🦊"],
    ["chinese", "春眠不覺曉"],
    ["endless", "x".repeat(500)],
  ] as const) {
    await post(at, { title, slug });
    const answer = await at.fetch(await cardOf(at, `/${slug}`));
    expect([slug, answer.status]).toEqual([slug, 200]);
    expect(await inkShare(answer)).toBeGreaterThan(1000);
  }
});

test("the widest letters leave room for the blog's name", async () => {
  const at = startPlaten();
  await post(at, { title: "W".repeat(160), slug: "wide" });
  await post(at, { title: "W".repeat(24), slug: "few" });
  for (const path of ["/wide", "/few"]) {
    const card = sharp(await (await at.fetch(await cardOf(at, path))).bytes());
    // The space between the longest title and the blog's name, 80 pixels above the lower edge.
    const between = await card.extract({ left: 0, top: 484, width: 1200, height: 30 }).toBuffer();
    const { channels } = await sharp(between).stats();
    expect([path, channels.every(({ min }) => min > 240)]).toEqual([path, true]);
  }
});
