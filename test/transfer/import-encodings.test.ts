import { expect, test } from "bun:test";
import { join } from "node:path";
import { createFolder, jpeg, startTransfer } from "./start-transfer";
import { type Packed, zipped } from "./zipped";

const fileOf = async (name: string, content: string | Uint8Array) =>
  join(await createFolder(null, { [name]: content }), name);
/** Decomposed Unicode, as macOS writes names. */
const decompose = (text: string) => text.normalize("NFD");
/** With byte order mark and CRLF, as Windows writes texts. */
const withMarkAndCrlf = (text: string) => `\uFEFF${text.replaceAll("\n", "\r\n")}`;

test("decomposed Unicode file names of macOS match the names in texts, in an archive and in a folder", async () => {
  const note = "---\ntitle: Beet\ndate: 2020-01-01\n---\n\n![One](Blüte.jpg) ![[Blüte.jpg]] [[Über uns]]\n";
  const files: [string, string | Uint8Array][] = [
    ["Garten/Beet.md", note],
    [decompose("Garten/Über uns.md"), "---\ndate: 2020-01-01\n---\nHello"],
    [decompose("Garten/Blüte.jpg"), await jpeg()],
  ];
  const macFiles: Packed[] = [{ path: decompose("__MACOSX/Garten/._Blüte.jpg"), content: "x" }];
  const packed = zipped([...files.map(([path, content]) => ({ path, content })), ...macFiles]);
  for (const place of [
    await fileOf("mac.zip", packed),
    await createFolder(null, Object.fromEntries(files)),
  ]) {
    await using at = await startTransfer();
    const { stdout } = await at.importFrom("markdown", place);
    expect(stdout).toStartWith("Imported 2 posts, 0 pages, 0 komments, 1 file.");
    const { beet } = await at.posts();
    expect(beet.content.html.match(/<img/g)).toHaveLength(2);
    expect(beet.content.html).toMatch(/<a href="[^"]*">Über uns<\/a>/);
  }
});

test("byte order marks and Windows line ends are not part of a text, in any format", async () => {
  await using at = await startTransfer();
  const bear =
    "---\ntitle: Bear's\nslug: of-bear\nalias:\npublished_date: 2021-04-04T05:06:07+00:00\ntags: x, y\npublish: True\nmake_discoverable: True\nis_page: False\n---\n\nText.\n";
  const pagecord =
    '---\ntitle: "Pagecord\'s"\npublished: true\npublished_at: 2024-05-06T07:08:09Z\ntags: ["sea"]\n---\n\n# Pagecord\'s\n\nText\n\n## Comments\n\nx';
  const files: Record<string, string | Uint8Array> = {
    "hugo/note.md": withMarkAndCrlf(
      '+++\ntitle = "Toml\'s"\ndate = 2020-01-02T10:00:00+02:00\n+++\n\n> [!note] Hi\n> there\n',
    ),
    "feed.xml": withMarkAndCrlf(
      '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0"><channel><item><title>Feed\'s</title><guid>1</guid><description>a</description></item></channel></rss>',
    ),
    "feed.json": withMarkAndCrlf(
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        items: [{ id: "j", title: "JSON's", content_html: "<p>j</p>" }],
      }),
    ),
    "ghost.json": withMarkAndCrlf(
      JSON.stringify({
        db: [{ data: { posts: [{ id: "1", title: "Ghost's", status: "published", html: "<p>x</p>" }] } }],
      }),
    ),
    "bear.zip": zipped([{ path: "of-bear.md", content: withMarkAndCrlf(bear) }]),
    "page.zip": zipped([
      { path: "index.md", content: "x" },
      { path: "of-pagecord.md", content: withMarkAndCrlf(pagecord) },
    ]),
    "sub.zip": zipped([
      {
        path: "posts.csv",
        content: withMarkAndCrlf(
          "post_id,post_date,is_published,type,audience,title,subtitle\n1.of-sub,2022-01-02T03:04:05.000Z,true,newsletter,everyone,Sub's,\n",
        ),
      },
      { path: "posts/1.of-sub.html", content: withMarkAndCrlf("<p>x</p>") },
    ]),
  };
  const folder = await createFolder(null, files);
  for (const name of new Set(Object.keys(files).map((path) => path.split("/")[0] as string)))
    expect([name, (await at.importFrom("auto", join(folder, name))).stdout.slice(0, 15)]).toEqual([
      name,
      "Imported 1 post",
    ]);
  const posts = Object.values(await at.posts());
  expect(posts.map(({ title }) => title).toSorted()).toEqual([
    "Bear's",
    "Feed's",
    "Ghost's",
    "JSON's",
    "Pagecord's",
    "Sub's",
    "Toml's",
  ]);
  for (const { content } of posts) expect(content.source).not.toMatch(/[\uFEFF\r]/);
  const postTitled = (title: string) => posts.find((post) => post.title === title);
  expect(postTitled("Bear's")).toMatchObject({ slug: "of-bear", tags: ["x", "y"] });
  expect(postTitled("Pagecord's")).toMatchObject({
    slug: "of-pagecord",
    tags: ["sea"],
    published_at: "2024-05-06T07:08:09.000Z",
  });
  expect(postTitled("Pagecord's").content.source).toBe("Text");
  expect(postTitled("Toml's").published_at).toBe("2020-01-02T08:00:00.000Z");
  expect(postTitled("Toml's").content.html).toContain("<strong>Hi</strong>");
});

test("table cells may contain quotes, commas and line breaks; rows may have any length", async () => {
  await using at = await startTransfer();
  const table = `\uFEFFuid,title,slug, content,published date\r
1,"A ""quoted"", title",tea,"two
lines, and a comma",2020-01-01\r
2,bare "in the middle",cup,ü🪴,2020-01-02,beyond\r
\r
3,short,short\r
`;
  const { stdout } = await at.importFrom("bear", await createFolder(null, { "posts.csv": table }));
  expect(stdout).toStartWith("Imported 3 posts,");
  const { tea, cup, short } = await at.posts();
  expect([tea.title, tea.content.text]).toEqual(['A "quoted", title', "two lines, and a comma"]);
  expect([cup.title, cup.content.text, cup.published_at]).toEqual([
    'bare "in the middle"',
    "ü🪴",
    "2020-01-02T00:00:00.000Z",
  ]);
  expect([short.title, short.content.text]).toEqual(["short", ""]);
});

test("texts in UTF-16 and Windows-1252 are read; a broken character in UTF-8 affects no other", async () => {
  await using at = await startTransfer();
  const text = (name: string, body: string) => `---\ntitle: Café ${name}\ndate: 2020-01-01\n---\n${body}`;
  const files = {
    "two.md": Buffer.from(`\uFEFF${text("two", "naïve “tea”")}`, "utf16le"),
    "unmarked.md": Buffer.from(text("unmarked", "naïve “tea”"), "utf16le"),
    // Quotes in Windows-1252.
    "one.md": Buffer.from(text("one", "naïve \u0093tea\u0094"), "latin1"),
    "broken.md": Buffer.concat([Buffer.from(text("broken", "naïve ")), Buffer.from([0xe9])]),
    // Already broken when it was saved as UTF-8.
    "mark.md": "---\ntitle: A \uFFFD mark\n---\nWhat \uFFFD is",
    "bom.md": Buffer.concat([Buffer.from("\uFEFF---\ntitle: Signed\n---\nna"), Buffer.from([0xef])]),
  };
  await at.importFrom("markdown", await createFolder(null, files));
  const posts = await at.posts();
  const names = ["two", "unmarked", "one", "broken", "mark", "bom"];
  const contents = names.map((slug) => [posts[slug].title, posts[slug].content.source]);
  expect(contents).toEqual([
    ["Café two", "naïve “tea”"],
    ["Café unmarked", "naïve “tea”"],
    ["Café one", "naïve “tea”"],
    ["Café broken", "naïve \uFFFD"],
    ["A \uFFFD mark", "What \uFFFD is"],
    ["Signed", "na\uFFFD"],
  ]);
});

test("future and invalid times, duplicate slugs and huge titles are reported, and nothing is lost", async () => {
  await using at = await startTransfer({ zone: "Asia/Tokyo" });
  const item = (id: number, slug: string, at: string, more = "", title = `Post ${id}`, utc = at) =>
    `<item><title>${title}</title><link>https://old.example/${id}/${slug}/</link><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><wp:post_date>${at}</wp:post_date><wp:post_date_gmt>${utc}</wp:post_date_gmt><wp:post_modified_gmt>2131-01-01 00:00:00</wp:post_modified_gmt><wp:post_name>${slug}</wp:post_name><content:encoded>Text ${id}</content:encoded>${more}</item>`;
  const komment =
    "<wp:comment><wp:comment_id>1</wp:comment_id><wp:comment_author>Jun</wp:comment_author><wp:comment_date_gmt>2131-01-01 00:00:00</wp:comment_date_gmt><wp:comment_content>From later</wp:comment_content><wp:comment_approved>1</wp:comment_approved></wp:comment>";
  const tags = ["n".repeat(300), ...Array.from({ length: 1000 }, (_, number) => `t${number}`)].map(
    (name) => `<category domain="post_tag" nicename="${name}">${name}</category>`,
  );
  const wxr = `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version>
${item(1, "later", "2131-01-01 00:00:00", komment)}${item(2, "same", "2020-01-01 00:00:00")}${item(3, "same", "2021-01-01 00:00:00")}
${item(4, "odd", "2020-02-30 25:61:00")}${item(5, "zone", "2020-01-01 10:00:00", "", "Zone", "0000-00-00 00:00:00")}
${item(6, "s".repeat(100_000), "2020-01-01 00:00:00", tags.join(""), "A".repeat(1_000_000))}</channel></rss>`;
  const file = await fileOf("odd.xml", wxr);
  const look = await at.importFrom("auto", file, "--dry-run");
  const { stdout } = await at.importFrom("auto", file);
  for (const report of [look.stdout, stdout]) {
    expect(report).toContain(" 6 posts, 0 pages, 1 komment, 0 files.\n1 post is scheduled");
    expect(report).toContain("1 × missing dates (the import date is used)");
    expect(report).toMatch(/1 × the end of titles over \d+ characters/);
    expect(report).toMatch(/1 × tags beyond \d+ per post/);
    expect(report).toContain("1 × the end of category and tag names over 100 characters");
  }
  const posts = await at.posts();
  expect(posts.later).toMatchObject({ status: "published", published_at: "2131-01-01T00:00:00.000Z" });
  const long = Object.values(posts).find(({ title }) => title.startsWith("AAA"));
  expect(long.tags.filter((tag: string) => tag.startsWith("n"))).toEqual(["n".repeat(100)]);
  expect((await at.page("/later")).status).toBe(404);
  const now = Date.now();
  for (const { updated_at } of Object.values(posts)) expect(Date.parse(updated_at)).toBeLessThan(now);
  const [said] = JSON.parse((await at.platen("komment", "list", "--json")).stdout);
  expect(Date.parse(said.created_at ?? said.at)).toBeLessThan(now);
  expect(posts.zone.published_at).toBe("2020-01-01T01:00:00.000Z");
  for (const id of [2, 3]) {
    const there = (await at.page(`/${id}/same/`)).headers.get("location") ?? "";
    expect(posts[there.slice(there.lastIndexOf("/") + 1)].content.text).toBe(`Text ${id}`);
  }
});

test("an empty blog imports nothing, and leaves nothing to undo", async () => {
  await using at = await startTransfer();
  const head = "uid,title,slug,alias,published date,all tags,publish,make discoverable,is page,content\n";
  const files: Record<string, string | Uint8Array> = {
    "old.xml":
      '<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version></channel></rss>',
    "feed.xml": '<rss version="2.0"><channel><title>x</title></channel></rss>',
    "feed.atom": '<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title></feed>',
    "feed.json": '{"version":"https://jsonfeed.org/version/1.1","items":[]}',
    "ghost.json": '{"db":[{"data":{"posts":[],"tags":[]}}]}',
    "bear.csv": head,
  };
  const folder = await createFolder(null, files);
  for (const name of Object.keys(files)) {
    const { code, stdout } = await at.importFrom("auto", join(folder, name));
    expect([name, code, stdout]).toEqual([name, 0, "Imported 0 posts, 0 pages, 0 komments, 0 files.\n"]);
  }
  expect((await at.platen("import", "list", "--json")).stdout.trim()).toBe("[]");
});
