import { expect, test } from "bun:test";
import { join } from "node:path";
import { mf2 } from "microformats-parser";
import { readText } from "../../src/transfer/import/sources/source-files";
import { openSource } from "../../src/transfer/import/sources/zip-and-folder-sources";
import { temporaryFolder } from "../support/temporary";
import { comparable } from "./comparable";
import { startFullGarden } from "./full-garden";
import { startTransfer } from "./start-transfer";

const exportPath = (name: string) => join(temporaryFolder("export"), name);

/** The garden with a second public post, in HTML, and an unlisted one. */
async function startPublicGarden() {
  const from = await startFullGarden();
  const { "in-html": inHtml } = await from.posts();
  const post = { status: "published", published_at: "2020-02-03T04:05:06Z", tags: ["Leaves"] };
  await from.api(`/posts/${inHtml.id}`, "PATCH", { post });
  await from.api("/posts", "POST", { post: { title: "Quiet", status: "published", meta: { hidden: true } } });
  return from;
}

test("a blog archive contains public posts, can be imported again, and reports what it omits", async () => {
  await using from = await startPublicGarden();
  await using to = await startTransfer();
  const place = exportPath("garden.bar");
  const ended = await from.platen("export", "bar", place, "--blog", "garden");
  expect(ended).toEqual({
    code: 0,
    stderr: "",
    stdout: `Wrote 2 posts, 3 files.

Not exported:
  2 × posts that are not published
  1 × pages
  1 × hidden posts
  2 × komments
  2 × previous versions
  1 × contact form messages
  1 × posts in the trash
`,
  });
  const { stdout } = await to.importFrom("bar", place, "--no-fetch");
  expect(stdout).toStartWith("Imported 2 posts, 0 pages, 0 komments, 3 files.");

  const [before, after] = [await from.posts(), await to.posts()];
  expect(Object.keys(after).toSorted()).toEqual(["green-tea", "in-html"]);
  for (const [slug, is] of Object.entries(after)) {
    const was = before[slug];
    for (const field of ["title", "type", "status", "published_at", "updated_at", "attachments"])
      expect([slug, field, comparable(is[field])]).toEqual([slug, field, comparable(was[field])]);
    expect(comparable(is.content.html)).toEqual(comparable(was.content.html));
    expect(is.content.source_type).toBe(was.content.source_type);
    const topics = [...(was.category ? [was.category.name] : []), ...was.tags];
    expect(is.tags.toSorted()).toEqual(topics.toSorted());
  }
  expect(comparable(after["green-tea"].content.source)).toEqual(
    comparable(before["green-tea"].content.source),
  );
});

test("feed and page of a blog archive have the same content and existing files, and contain no secret", async () => {
  await using from = await startPublicGarden();
  await from.platen("blog", "set", "garden", "--description", "Leaves & tea");
  const place = exportPath("garden.bar");
  await from.platen("export", "bar", place, "--blog", "garden");
  using source = await openSource(place);
  const [text, page] = [await readText(source, "feed.json"), await readText(source, "index.html")];
  const { items, ...feed } = JSON.parse(text);
  const about = { title: "Garden", description: "Leaves & tea", language: "en" };
  expect(feed).toMatchObject({ version: "https://jsonfeed.org/version/1.1", ...about });
  expect(page).toContain('<html lang="en">');
  const [parsed] = mf2(page, { baseUrl: "https://archive.example/" }).items;
  expect(parsed?.type).toEqual(["h-feed"]);
  const entries = parsed?.children ?? [];
  expect(entries.map(({ properties }) => [properties.url, properties.published, properties.name])).toEqual(
    items.map((item: Record<string, string>) => [[item.url], [item.date_published], [item.title]]),
  );
  expect(entries.map(({ properties }) => properties.category ?? [])).toEqual(
    items.map(({ tags = [] }: { tags?: string[] }) => tags),
  );
  // Readers recognize items by these ids.
  const own = await (await fetch(`${from.url}/feed.json`)).json();
  expect(own.items).toHaveLength(1);
  for (const { url, id } of own.items) expect(items).toContainEqual(expect.objectContaining({ url, id }));
  const named = [...page.matchAll(/src="([^"]+)"/g)]
    .map(([, src = ""]) => src)
    .filter((src) => src.startsWith("media/"));
  expect(named).toHaveLength(3);
  for (const src of named) expect([src, source.has(decodeURIComponent(src))]).toEqual([src, true]);
  for (const src of named) expect(text).toContain(`${from.url}/${src}`);
  for (const secret of [
    "SECRET",
    "sgid",
    "platen_",
    "@example.com",
    (await from.posts())["green-tea"].meta.share_id,
  ])
    for (const whole of [text, page]) expect([secret, whole.includes(secret)]).toEqual([secret, false]);
});
