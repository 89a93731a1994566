import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { mf2 } from "microformats-parser";
import { keepDataVersion } from "../../src/database/change-counter";
import { blogs, komments } from "../../src/database/schema";
import { deleteKomment } from "../../src/komments/moderation";
import { startPlaten, type TestPlaten } from "../support/platen";
import { page, post, writeForLink } from "./forms";

/** A post with this many komments, each one letter shorter than the next. */
async function postWithKomments(many: number): Promise<TestPlaten> {
  const at = startPlaten();
  at.platen.db.update(blogs).set({ kommentsModerated: false }).run();
  await post(at);
  at.platen.db
    .insert(komments)
    .values(
      Array.from({ length: many }, (_, i) => ({
        postId: 1,
        blogId: at.blog.id,
        status: "shown" as const,
        name: `Reader ${i + 1}`,
        source: "So.",
        html: "<p>So.</p>",
        createdAt: at.platen.now(),
        editHash: `hash ${i}`,
      })),
    )
    .run();
  return at;
}

const idsIn = (shown: string) => [...shown.matchAll(/ id="komment-(\d+)"/g)].map(([, id]) => Number(id));
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Redirect target of a path, with its fragment. */
async function redirectOf(at: TestPlaten, address: string): Promise<string | null> {
  const answer = await at.fetch(address);
  expect([address, answer.status]).toEqual([address, 302]);
  return answer.headers.get("location");
}

test("a post shows its first fifty komments, oldest first, with links to the other pages", async () => {
  const at = await postWithKomments(120);
  const seen: number[][] = [];
  let path: string | undefined = "/tea";
  const ways: string[] = [];
  while (path && seen.length < 5) {
    const shown = await page(at, path);
    seen.push(idsIn(shown));
    ways.push(/rel="prev" href="([^"]+)"/.exec(shown)?.[1] ?? "none before");
    path = /rel="next" href="([^"]+)"/.exec(shown)?.[1];
    if (path) expect(path).toEndWith("#komments");
  }
  expect(seen).toEqual([range(1, 50), range(51, 100), range(101, 120)]);
  expect(ways).toEqual(["none before", "/tea#komments", "/tea?komments=2#komments"]);
  const last = await page(at, "/tea?komments=3");
  expect(last).toContain("<title>Tea: komments, page 3");
  expect(last).toContain("101–120 of 120");
  expect(last).toContain('href="/komments/tea"');
  expect(last).not.toContain("About tea.");
  const [entry] = mf2(last, { baseUrl: "http://blog.test/tea" }).items;
  expect(entry?.properties).toMatchObject({ name: ["Tea"], url: ["http://blog.test/tea"] });
  expect(entry?.properties.comment).toHaveLength(20);
});

test("a komment's URL redirects to the page that it is on", async () => {
  const at = await postWithKomments(101);
  const shown = await page(at, "/tea?komments=2");
  expect(shown).toContain('href="/tea?komment=51#komment-51"');
  expect(await redirectOf(at, "/tea?komment=51")).toBe("http://blog.test/tea?komments=2#komment-51");
  expect(await redirectOf(at, "/tea?komment=101")).toBe("http://blog.test/tea?komments=3#komment-101");
  deleteKomment(at.platen, 7);
  expect(await redirectOf(at, "/tea?komment=51")).toBe("http://blog.test/tea#komment-51");
  expect(await redirectOf(at, "/tea?komment=101")).toBe("http://blog.test/tea?komments=2#komment-101");
  for (const gone of ["7", "999", "x", "", "1e3", "9".repeat(400)])
    expect(await redirectOf(at, `/tea?komment=${gone}`)).toBe("http://blog.test/tea#komments");
});

test("the thank-you page and the private page link to the newest komment", async () => {
  const at = await postWithKomments(100);
  const { thanks, link } = await writeForLink(at);
  for (const shown of [thanks, await page(at, link)])
    expect(shown).toContain('href="/tea?komment=101#komment-101"');
  expect(idsIn(await page(at, "/tea?komments=3"))).toEqual([101]);
});

test("only existing pages of komments are cached, whatever the query", async () => {
  const at = await postWithKomments(60);
  const first = await page(at, "/tea?komments=2");
  keepDataVersion(at.platen, () =>
    at.platen.db.update(komments).set({ name: "Changed unnoticed" }).where(eq(komments.postId, 1)).run(),
  );
  for (const query of ["komments=2", "komments=2&x=1", "y=2&komments=2&komments=3"])
    expect(await page(at, `/tea?${query}`)).toBe(first);
  for (const query of ["komments=3", "komments=0", "komments=02", "komments=x", "komments=999999999999"])
    expect(await redirectOf(at, `/tea?${query}`)).toBe("http://blog.test/tea?komments=2#komments");
});
