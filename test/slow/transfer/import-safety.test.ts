import { expect, test } from "bun:test";
import { existsSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolder, jpeg, startTransfer } from "../../transfer/start-transfer";
import { zipped } from "../../transfer/zipped";

const post = (title: string, body = "Text.") => `---\ntitle: ${title}\ndate: 2020-01-01\n---\n${body}`;
const archive = async (files: Parameters<typeof zipped>[0]) =>
  join(await createFolder(null, { "site.zip": zipped(files) }), "site.zip");

test("an archive is read like a folder, whatever its top-level folder", async () => {
  await using at = await startTransfer();
  const files = [
    { path: "site/posts/one.md", content: post("One", "![A](one.jpg)") },
    { path: "site/posts/one.jpg", content: await jpeg() },
    { path: "__MACOSX/site/posts/._one.md", content: "nothing" },
  ];
  const { stdout } = await at.importFrom("auto", await archive(files));
  expect(stdout).toStartWith("Imported 1 post, 0 pages, 0 komments, 1 file.");
  expect((await at.posts()).one.content.html).toContain('alt="A"');
  const table = "post_id,post_date,is_published,title\n101.sea,2022-01-02T03:04:05.000Z,true,Sea\n";
  const substack = [
    { path: "mine/posts.csv", content: table },
    { path: "mine/posts/101.sea.html", content: "<p>Waves.</p>" },
  ];
  expect((await at.importFrom("substack", await archive(substack))).stdout).toStartWith("Imported 1 post,");
  const { code, stderr } = await at.importFrom("ghost", await archive(substack));
  expect([code, stderr]).toEqual([1, "site.zip is not in the format ghost.\n"]);
});

test("an archive with a path outside of it is rejected, and nothing is written", async () => {
  await using at = await startTransfer();
  const path = await archive([
    { path: "one.md", content: post("One") },
    { path: "../../slipped.md", content: post("Slipped") },
  ]);
  const { code, stderr } = await at.importFrom("markdown", path);
  expect({ code, stderr: stderr.trim() }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^site\.zip cannot be read as a ZIP archive: invalid relative path: .*\.$/),
  });
  expect(existsSync(join(dirname(dirname(path)), "slipped.md"))).toBe(false);
  expect(await at.posts()).toEqual({});
});

test("damaged or too long entries are reported, and the rest is imported", async () => {
  await using at = await startTransfer();
  const path = await archive([
    { path: "good.md", content: post("Good") },
    { path: "changed.md", content: post("Changed"), says: { crc: 1 } },
    { path: "long.md", content: post("Long", "a".repeat(100_000)), says: { size: 10 } },
  ]);
  const { code, stdout } = await at.importFrom("markdown", path);
  expect(code).toBe(0);
  expect(stdout).toStartWith("Imported 1 post,");
  expect(stdout).toContain("  changed.md is damaged: wrong checksum.");
  expect(stdout).toMatch(/long\.md is damaged: too many bytes/);
  expect(Object.keys(await at.posts())).toEqual(["good"]);
});

test("an archive that would be too large after unpacking is rejected", async () => {
  await using at = await startTransfer();
  const bomb = { path: "bomb.md", content: Buffer.alloc(10_000_000), says: { size: 4_000_000_000 } };
  const { code, stderr } = await at.importFrom("markdown", await archive([bomb]));
  expect(code).toBe(1);
  expect(stderr).toContain("would be too large after unpacking");
});

test("symbolic links are not followed, and no file of the machine is read by its URL", async () => {
  await using at = await startTransfer();
  const secret = join(await createFolder(null, { "secret.jpg": await jpeg() }), "secret.jpg");
  const body = `![a](linked.jpg) ![b](file://${secret}) ![c](../../../../../../../../..${secret}) ![d](${secret})`;
  const folder = await createFolder(null, { "one.md": post("One", body) });
  symlinkSync(secret, join(folder, "linked.jpg"));
  symlinkSync("/etc/hostname", join(folder, "two.md"));
  const { stdout } = await at.importFrom("markdown", folder);
  expect(stdout).toStartWith("Imported 1 post, 0 pages, 0 komments, 0 files.");
  expect((await at.api("/attachments")).attachments).toEqual([]);
});

test("scripts and frames are removed from imported content", async () => {
  await using at = await startTransfer();
  const body = `<script>alert(1)</script><p onclick="alert(2)">Hello</p><iframe src="https://evil.example/"></iframe>`;
  await at.importFrom("markdown", await createFolder(null, { "one.md": post("One", body) }));
  const page = await (await at.page("/one")).text();
  expect(page).toContain("<p>Hello</p>");
  expect(page).not.toMatch(/alert\(|evil\.example/);
});

const feedOf = (...items: string[]) =>
  `<?xml version="1.0"?><rss version="2.0"><channel>${items.map((item) => `<item>${item}</item>`).join("")}</channel></rss>`;

test("a file that is given as a symbolic link is imported", async () => {
  await using at = await startTransfer();
  const feed = feedOf("<title>One</title><guid>1</guid><description>One.</description>");
  const folder = await createFolder(null, { "feed.xml": feed });
  symlinkSync(join(folder, "feed.xml"), join(folder, "newest.xml"));
  const { stdout } = await at.importFrom("feed", join(folder, "newest.xml"));
  expect(stdout).toStartWith("Imported 1 post,");
});

test("a text with too deep nesting or too many elements is reported, and the others are imported", async () => {
  await using at = await startTransfer();
  const bearText = (title: string, text: string) =>
    `<title>${title}</title><guid>${title}</guid><description><![CDATA[${text}]]></description>`;
  const feed = feedOf(
    bearText("Deep", "<div>".repeat(2000)),
    bearText("Wide", "<br>".repeat(600_000)),
    bearText("Good", "<p>Good.</p>"),
  );
  const { code, stdout } = await at.importFrom(
    "feed",
    join(await createFolder(null, { "feed.xml": feed }), "feed.xml"),
  );
  expect(code).toBe(0);
  expect(stdout).toStartWith("Imported 1 post,");
  expect(stdout).toContain("  Deep: content must be nested at most 400 elements deep.");
  expect(stdout).toContain("  Wide: content must be at most 1 MB (1,000,000 bytes).");
  expect(Object.keys(await at.posts())).toEqual(["good"]);
});

test("an export that is truncated, or has an endless element, is rejected with a message", async () => {
  await using at = await startTransfer();
  const post = (id: number) => ({ id, title: `Post ${id}`, html: "<p>x</p>", status: "published" });
  const ghost = JSON.stringify({ db: [{ meta: { exported_on: 1 }, data: { posts: [post(1), post(2)] } }] });
  const bar = JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    items: [{ content_text: "*Hi*" }],
  });
  for (const [format, name, files] of [
    ["ghost", "ghost.json", { "ghost.json": ghost.slice(0, -60) }],
    ["bar", "feed.json", { "feed.json": bar.slice(0, -20), "index.html": "" }],
    ["feed", "feed.json", { "feed.json": `${bar.slice(0, -1)},"deep":${"[".repeat(100_000)}` }],
  ] as const) {
    const { stderr, code } = await at.importFrom(format, await createFolder(null, files));
    expect([code, stderr]).toEqual([1, `${name} is not valid JSON. It may be truncated: export it again.\n`]);
  }
});

const LONG = "x".repeat(1_100_000);
const ghostPost = (title: string, html: string) => ({
  id: title,
  title,
  slug: title,
  html,
  status: "published",
});
const feedItem = (title: string, content_html: string) => ({ id: title, title, content_html });
const archived = (title: string, content: string) => ({ id: title, title, slug: title, content });
const three = (of: (title: string, text: string) => object) => [
  of("one", "1"),
  of("Long", LONG),
  of("two", "2"),
];

test.each([
  {
    format: "ghost",
    files: () => ({
      "a.json": JSON.stringify({ db: [{ meta: { exported_on: 1 }, data: { posts: three(ghostPost) } }] }),
    }),
  },
  {
    format: "feed",
    files: () => ({
      "a.json": JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items: three(feedItem) }),
    }),
  },
  {
    format: "bear",
    files: () => ({
      "a.csv": `uid,title,slug,content\n1,one,one,1\n2,Long,long,"${LONG}"\n3,two,two,"2"`,
    }),
  },
  {
    format: "platen",
    files: () => ({
      "archive.json": JSON.stringify({ format: "platen", version: 1, id: "x", url: "http://x.example" }),
      "blog.json": "{}",
      "posts.jsonl": three(archived)
        .map((line) => JSON.stringify(line))
        .join("\n"),
    }),
  },
])("one oversized post in $format is skipped, and the others are imported", async ({ format, files }) => {
  await using at = await startTransfer();
  const { code, stdout } = await at.importFrom(format, await createFolder(null, files()));
  expect(code).toBe(0);
  expect(stdout).toStartWith("Imported 2 posts,");
  expect(stdout).toContain("\n  Long: content must be at most 1 MB");
});

test("a long text of only line breaks, brackets or tag starts is read quickly", async () => {
  await using at = await startTransfer();
  const signs = {
    "ends.md": `A${"\n".repeat(19_000)}B`,
    "brackets.md": "![[".repeat(60_000),
    "tags.md": "<img ".repeat(190_000),
  };
  const { code, stdout } = await at.importFrom("markdown", await createFolder(null, signs), "--dry-run");
  expect(code).toBe(0);
  expect(stdout).toStartWith("Would import 3 posts, 0 pages, 0 komments, 0 files.");
});

test("control characters in an export do not reach the terminal", async () => {
  await using at = await startTransfer();
  const controls = "\u001b]0;title\u0007\u009b2J\r";
  const posts = [ghostPost(`Tea${controls}`, LONG), ghostPost(`Cups${controls}`, '<img src="cup.jpg">')];
  const exported = JSON.stringify({ db: [{ meta: { exported_on: 1 }, data: { posts } }] });
  const folder = await createFolder(null, { "a.json": exported });
  const { stdout } = await at.importFrom("ghost", folder, "--no-fetch");
  expect(stdout).toContain("  Tea]0;title2J: content must be at most 1 MB");
  expect(stdout).toContain("(in Cups]0;title2J)");
  expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
  const path = join(
    await createFolder(null, { "site.zip": zipped([{ path: `../${controls}`, content: "" }]) }),
    "site.zip",
  );
  const { stderr } = await at.importFrom("markdown", path);
  expect(stderr).toContain("invalid relative path: ../");
  expect(stderr).not.toMatch(/(?!\n)\p{Cc}/u);
});

test("content that grows too much is reported, and the others are imported", async () => {
  await using at = await startTransfer();
  const wxr = (title: string, id: number, text: string) =>
    `<item><title>${title}</title><guid>${title}</guid><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type>` +
    `<wp:status>publish</wp:status><wp:post_date_gmt>2020-01-01 00:00:00</wp:post_date_gmt><content:encoded><![CDATA[${text}]]></content:encoded></item>`;
  const block = `<item><wp:post_id>5</wp:post_id><wp:post_type>wp_block</wp:post_type><content:encoded>${"b".repeat(100_000)}</content:encoded></item>`;
  const items = [
    block,
    wxr("Blocks", 2, '<!-- wp:block {"ref":5} /-->'.repeat(2000)),
    wxr("Good", 3, "Good."),
  ];
  const xml = `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${items.join("")}</channel></rss>`;
  const path = join(await createFolder(null, { "site.xml": xml }), "site.xml");
  const { code, stdout } = await at.importFrom("wordpress", path, "--no-fetch");
  expect(code).toBe(0);
  expect(stdout).toStartWith("Imported 1 post,");
  expect(stdout).toContain("  Blocks: is too long.");
});

test("deeply nested HTML is reported quickly, and the rest is imported", async () => {
  await using at = await startTransfer();
  const deep = Array.from({ length: 9 }, (_, n) => ghostPost(`Deep ${n}`, "<div>".repeat(190_000)));
  const posts = [...deep, ghostPost("Good", "x")];
  const exported = JSON.stringify({ db: [{ meta: { exported_on: 1 }, data: { posts } }] });
  const { stdout } = await at.importFrom("ghost", await createFolder(null, { "a.json": exported }));
  expect(stdout).toStartWith("Imported 1 post,");
  expect(stdout).toContain("  Deep 8: is nested too deeply.");
}, 30_000);

test("a text of only comment, code, shortcode or picture marks is read quickly", async () => {
  await using at = await startTransfer();
  const marks = {
    "comments.md": "`c` a%%b\n\n".repeat(9_500),
    "tags.md": `<math>${'"<?{{%'.repeat(160_000)}`,
  };
  const notes = await at.importFrom("markdown", await createFolder(null, marks), "--dry-run", "--no-fetch");
  expect(notes.code).toBe(0);
  expect(notes.stdout).toStartWith("Would import 2 posts,");
  const texts = {
    Kept: "<pre>a</pre>".repeat(60_000),
    Styles: `<style>a</STYLE>${"<style>".repeat(90_000)}`,
    Codes: "[caption a] ".repeat(80_000),
    Words: Array.from({ length: 60_000 }, (_, n) => `[word${n} a]`).join(" "),
    Figure: `<figure>${'<img src="a.png">'.repeat(55_000)}</figure>`,
    Folders: `<img src="https://old.example.com/${"a/".repeat(490_000)}b.jpg">`,
  };
  const items = Object.entries(texts).map(
    ([title, text], n) =>
      `<item><title>${title}</title><guid>${title}</guid><wp:post_id>${n}</wp:post_id><wp:post_type>post</wp:post_type>` +
      `<wp:status>publish</wp:status><content:encoded><![CDATA[${text}]]></content:encoded></item>`,
  );
  const xml = `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${items.join("")}</channel></rss>`;
  const path = join(await createFolder(null, { "site.xml": xml }), "site.xml");
  const { code, stdout } = await at.importFrom("wordpress", path, "--dry-run", "--no-fetch");
  expect(code).toBe(0);
  expect(stdout).toStartWith("Would import 6 posts,");
}, 30_000);

test("JSON objects that cannot be converted to text are ignored or reported, and the rest is imported", async () => {
  await using at = await startTransfer();
  const odd = { toString: 1, valueOf: 1 };
  const items = [
    { ...feedItem("odd", "x"), date_published: odd },
    { ...feedItem("good", "x"), tags: [odd, "a"] },
  ];
  const data = {
    posts: [ghostPost("ghost", "x"), { ...ghostPost("paid", "x"), featured: odd }],
    posts_tags: [
      { post_id: "ghost", tag_id: "1", sort_order: odd },
      { post_id: "ghost", tag_id: "1", sort_order: 1 },
    ],
  };
  const archive = { "archive.json": '{"format":"platen","version":1,"id":"x","url":"http://x.example"}' };
  const lines = [{ ...archived("first", "x"), id: odd, alt_text: { "a.jpg": odd } }, archived("second", "x")];
  for (const [format, files, summary] of [
    ["feed", { "feed.json": { version: "https://jsonfeed.org/version/1.1", items } }, "Imported 2 posts,"],
    ["ghost", { "a.json": { db: [{ meta: { exported_on: 1 }, data }] } }, "Imported 2 posts,"],
    ["markdown", { "draft.md": { title: "draft", draft: odd, build: { list: odd } } }, "Imported 1 post,"],
  ] as const) {
    const texts = Object.fromEntries(
      Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)]),
    );
    const { stdout, stderr } = await at.importFrom(format, await createFolder(null, texts));
    expect([format, stdout.slice(0, summary.length), stderr]).toEqual([format, summary, ""]);
  }
  const files = { ...archive, "blog.json": JSON.stringify({ posts_a_page: odd }) };
  const posts = lines.map((line) => JSON.stringify(line)).join("\n");
  const folder = await createFolder(null, { ...files, "posts.jsonl": posts });
  expect((await at.importFrom("platen", folder)).stdout).toStartWith("Imported 2 posts,");
  expect(Object.keys(await at.posts()).sort()).toEqual([
    "draft",
    "first",
    "ghost",
    "good",
    "odd",
    "paid",
    "second",
  ]);
});
