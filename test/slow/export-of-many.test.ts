import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/database/open";
import { freshFolder, PROGRAM, runPlaten } from "../support/program";
import { waitFor } from "../support/waiting";

const POSTS = 1200;
/** Bytes more than an export of twenty posts needs; in memory, these posts would be 300 MB. */
const MAX_GROWTH_BYTES = 150_000_000;

/** A blog with this many posts, all with one tag, each linking to the previous one. */
async function filledFolder(count: number): Promise<string> {
  const data = freshFolder();
  await runPlaten(["setup", "--email", "ada@example.com", "--title", "Garden", "--data", data]);
  const { $client } = openDatabase(data);
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  $client.run(
    `${numbers} INSERT INTO posts (id, blog_id, status, title, slug, excerpt, published_at, created_at, updated_at)
     SELECT i, 1, 'published', 'Post ' || i, 'post-' || i, 'Some words', i, i, i FROM n`,
  );
  $client.run(
    `${numbers} INSERT INTO contents (post_id, source_type, html, text)
     SELECT i, 'html', '<p><a href="/post-' || max(1, i - 1) || '">Before</a>' || printf('%.20000c', 'x') || '</p>', 'x' FROM n`,
  );
  $client.run("INSERT INTO tags (id, blog_id, name, name_key, slug) VALUES (1, 1, 'Tea', 'tea', 'tea')");
  $client.run("INSERT INTO post_tags SELECT id, 1, 0, status, type, hidden, published_at FROM posts");
  $client.run(`${numbers} INSERT INTO old_slugs SELECT 1, 'old/' || i, i FROM n WHERE i % 10 = 0`);
  $client.close();
  return data;
}

/** @returns its place, and the memory used in bytes */
async function exportOf(data: string) {
  const place = join(data, "site");
  const child = Bun.spawn(
    [...PROGRAM, "export", "static", place, "--blog", "garden", "--no-cards", "--data", data],
    { stdout: "pipe", stderr: "inherit" },
  );
  const filesInFolder = () => readdirSync(data);
  expect(await waitFor(child.exited, "the end of the export", filesInFolder, 300_000)).toBe(0);
  return { place, memory: child.resourceUsage()?.maxRSS ?? Number.POSITIVE_INFINITY };
}

test("exporting thousands of posts needs little more memory than exporting twenty", async () => {
  const few = await exportOf(await filledFolder(20));
  const data = await filledFolder(POSTS);
  const many = await exportOf(data);
  expect(many.memory - few.memory).toBeLessThan(MAX_GROWTH_BYTES);
  const written = new Set(readdirSync(many.place, { recursive: true, encoding: "utf8" }));
  for (let number = 1; number <= POSTS; number++) expect(written).toContain(`post-${number}/index.html`);
  for (const path of [
    `tag/tea/page/${POSTS / 20}/index.html`,
    "archive/page/6/index.html",
    "old/10/index.html",
  ])
    expect(written).toContain(path);
  const parts = readFileSync(join(many.place, "sitemap.xml"), "utf8").matchAll(/<loc>[^<]*\/([^<]+)<\/loc>/g);
  const places = [...parts].flatMap(([, part = ""]) => [
    ...readFileSync(join(many.place, part), "utf8").matchAll(/<loc>[^<]*\/(post-\d+)<\/loc>/g),
  ]);
  expect(new Set(places.map(([, post]) => post)).size).toBe(POSTS);
  const redirects = readFileSync(join(many.place, "_redirects"), "utf8").trim().split("\n");
  expect(redirects).toHaveLength(POSTS / 10);
  expect(redirects).toContain(`/old/${POSTS} /post-${POSTS}/ 301`);
});
