import { expect, test } from "bun:test";
import { join } from "node:path";
import { createFolder, FIXTURES, jpeg, png, startTransfer } from "./start-transfer";
import { zipped } from "./zipped";

const EXPORT = join(FIXTURES, "ghost.json");

test("a Ghost archive: cards, galleries, pictures, ordered tags, times; members-only content stays hidden", async () => {
  await using at = await startTransfer();
  const files = [
    { path: "ghost.json", content: await Bun.file(EXPORT).text() },
    { path: "content/images/2020/01/fog.jpg", content: await jpeg() },
    { path: "content/images/a.png", content: await png() },
    { path: "content/images/b.png", content: await png() },
    { path: "content/images/top.jpg", content: await jpeg() },
  ];
  const archive = join(await createFolder(null, { "ghost.zip": zipped(files) }), "ghost.zip");
  const { stdout } = await at.importFrom("auto", archive, "--no-fetch");
  expect(stdout).toStartWith("Imported 3 posts, 1 page, 0 komments, 4 files.\n2 posts are not public");
  expect(stdout).toContain("1 × members-only access: these posts are archived");

  const { fog, members, unfinished, about } = await at.posts();
  expect(fog).toMatchObject({
    published_at: "2020-01-02T08:00:00.000Z",
    updated_at: "2020-02-02T10:00:00.000Z",
    summary: "In short",
    tags: ["Weather", "Morning"],
  });
  const { html } = fog.content;
  expect(html).toMatch(/^<figure[^>]*><img src="[^"]*top\.jpg"[^>]* alt="A grey sky".*?<figcaption>By Ada</);
  expect(html).toMatch(/fog\.jpg"[^>]* alt="Fog over a field"[^>]*><figcaption>At six<\/figcaption>/);
  expect(html).toMatch(/alt="One"[^>]*><\/figure>\s*<figure[^>]*><img[^>]*alt="Two"/);
  expect(html).toContain(
    '<div class="bookmark"><p><a href="https://elsewhere.example/">Elsewhere</a></p></div>',
  );
  expect(html).toContain('<a href="/rain/">Rain</a>');
  expect(html).toContain("<b>kept</b>");
  expect(members.status).toBe("archived");
  expect(unfinished).toMatchObject({ status: "draft", published_at: null });
  expect(unfinished.content.html).toBe("<p>One &amp; two.</p>\n<p>Three.</p>");
  expect(about.type).toBe("page");
});

test("a Ghost JSON file: pictures are downloaded from the given URL", async () => {
  await using at = await startTransfer();
  const { stdout } = await at.importFrom("ghost", EXPORT, "--site", "https://fog.example", "--dry-run");
  expect(stdout).toContain("4 more files would be downloaded.");
  const without = await at.importFrom("ghost", EXPORT, "--dry-run");
  expect(without.stdout).toContain("content/images/2020/01/fog.jpg (in Fog): file not found");
  const wrong = await at.importFrom("ghost", EXPORT, "--site", "fog");
  expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('--site is "fog"; it must be like https://example.com'),
  });
});

test("cards are converted without players' buttons; unpublished drafts are imported; files stay where they are", async () => {
  await using at = await startTransfer();
  const html = `<p>In.</p><div class="kg-card kg-audio-card"><div class="kg-audio-player-container"><audio src="__GHOST_URL__/content/media/song.mp3"></audio><div class="kg-audio-title">Song</div><div class="kg-audio-player"><button>play</button><span class="kg-audio-current-time">0:00</span><div class="kg-audio-time">/<span>2:03</span></div></div></div></div>
<figure class="kg-card kg-video-card"><div class="kg-video-container"><video src="https://v.example/v.mp4" width="1" height="1"></video><div class="kg-video-player"><span>0:00</span><button>1×</button></div></div><figcaption><p>A film</p></figcaption></figure>
<div class="kg-card kg-callout-card kg-callout-card-blue"><div class="kg-callout-emoji">💡</div><div class="kg-callout-text">Call <b>out</b></div></div>
<div class="kg-card kg-toggle-card"><div class="kg-toggle-heading"><h4 class="kg-toggle-heading-text">Ask</h4><button>x</button></div><div class="kg-toggle-content"><p>Told</p></div></div>
<div class="kg-card kg-signup-card"><h2>Sign up</h2><form></form></div>
<p><a href="__GHOST_URL__/rain/">Rain</a></p><figure class="kg-card kg-image-card"><img src="__GHOST_URL__/content/images/size/w1000/a.png" alt="A"></figure>`;
  const text = (words: string) => ({ type: "text", text: words });
  const lexical = JSON.stringify({
    root: {
      children: [
        { type: "heading", tag: "h2", children: [text("Head")] },
        { type: "paragraph", children: [text("From "), { type: "link", children: [text("Lexical")] }] },
        { type: "list", tag: "ul", children: [{ type: "listitem", children: [text("one")] }] },
      ],
    },
  });
  const mobiledoc = JSON.stringify({
    sections: [
      [1, "p", [[0, [], 0, "From Mobiledoc"]]],
      [10, 0],
    ],
  });
  const posts = [
    { id: 1, title: "Cards", slug: "cards", html, status: "published", featured: 1 },
    { id: 2, title: "Newer", slug: "newer", html: null, lexical, status: "draft" },
    { id: 3, title: "Older", slug: "older", html: null, mobiledoc, status: "draft" },
  ];
  const export_ = { db: [{ meta: { exported_on: 1 }, data: { posts } }] };
  const folder = await createFolder(null, {
    "ghost.json": JSON.stringify(export_),
    "content/images/a.png": await png(),
  });
  const { stdout } = await at.importFrom("ghost", folder, "--no-fetch", "--site", "https://fog.example");
  expect(stdout).toStartWith("Imported 3 posts, 0 pages, 0 komments, 1 file.");
  const { cards, newer, older } = await at.posts();
  expect(cards.content.html).toContain(
    '<p>Song</p><audio src="https://fog.example/content/media/song.mp3" controls></audio>',
  );
  expect(cards.content.html).toContain(
    '<figure><video src="https://v.example/v.mp4" controls></video><figcaption>A film</figcaption></figure>',
  );
  expect(cards.content.html).toContain('<aside class="callout"><p>💡 Call <b>out</b></p></aside>');
  expect(cards.content.html).toContain("<details><summary>Ask</summary><p>Told</p></details>");
  expect(cards.content.html).toContain('<a href="/rain/">Rain</a>');
  for (const gone of ["0:00", "Sign up", "size/w1000"]) expect(cards.content.html).not.toContain(gone);
  expect(newer.content.html).toBe("<h2>Head</h2>\n<p>From Lexical</p>\n<ul><li>one</li></ul>");
  expect(older.content.html).toBe("<p>From Mobiledoc</p>");
  const without = await at.importFrom("ghost", folder, "--no-fetch", "--dry-run");
  expect(without.stdout).toContain("3 posts skipped: already imported");
});

test("pictures in a backup made by Ghost are found; unpublished drafts keep the texts of their cards", async () => {
  await using at = await startTransfer();
  const image = { type: "image", src: "__GHOST_URL__/content/images/a.png", alt: "A" };
  const link = { type: "link", url: "https://tea.example/", children: [{ text: "tea", format: 16 }] };
  const children = [
    { type: "callout", calloutText: "<b>Mind</b> it" },
    { type: "gallery", images: [{ ...image, caption: "By <b>Ada</b>" }, { alt: "no file" }] },
    { type: "toggle", heading: "Ask", content: "<p>Told</p>" },
    { type: "codeblock", code: "a < b" },
    { type: "markdown", markdown: "One *line*\n\nand another" },
    { type: "bookmark", url: "https://elsewhere.example/" },
    { type: "button", buttonText: "Book & eat", buttonUrl: "https://book.example/" },
    { type: "button", buttonText: "Leads nowhere" },
    { type: "horizontalrule" },
    { type: "quote", children: [{ text: "Said" }] },
    { type: "aside", children: [{ text: "Aside" }] },
    {
      type: "paragraph",
      children: [{ text: "a < b " }, link, { type: "linebreak" }, { text: "so", format: 3 }],
    },
    {
      type: "list",
      tag: "ol",
      children: [{ children: [{ text: "one" }, { type: "list", children: [{ children: [link] }] }] }],
    },
    { type: "paywall" },
  ];
  const old = {
    cards: [["image", image], ["code", { code: "c > d" }], "nonsense"],
    sections: [
      [10, 0],
      [1, "p", [[0, [], 0, "Between"]]],
      [10, 1],
      [10, 2],
      [10, 9],
    ],
  };
  const posts = [
    {
      id: "1",
      title: "Newer",
      slug: "newer",
      status: "draft",
      lexical: JSON.stringify({ root: { children } }),
    },
    { id: "2", title: "Older", slug: "older", status: "draft", mobiledoc: JSON.stringify(old) },
  ];
  const files = [
    { path: "data/my.ghost.2024.json", content: JSON.stringify({ db: [{ data: { posts } }] }) },
    { path: "images/a.png", content: await png() },
    { path: "settings/routes.yaml", content: "routes:\n" },
  ];
  const archive = join(await createFolder(null, { "backup.zip": zipped(files) }), "backup.zip");
  const { stdout } = await at.importFrom("auto", archive, "--no-fetch");
  expect(stdout).toStartWith("Imported 2 posts, 0 pages, 0 komments, 1 file.");
  const { newer, older } = await at.posts();
  const plain = (html: string) =>
    html.replace(/<figure.*?<\/figure>/g, (one) => (one.includes("/a.png") ? "(a)" : one));
  expect(plain(newer.content.html).split("\n")).toEqual([
    "<p><b>Mind</b> it</p>",
    "(a)",
    "<p>Ask</p>",
    "<p>Told</p>",
    "<pre><code>a &lt; b</code></pre>",
    "<p>One *line*",
    "",
    "and another</p>",
    '<p><a href="https://elsewhere.example/">https://elsewhere.example/</a></p>',
    '<p><a href="https://book.example/">Book &amp; eat</a></p>',
    "<hr />",
    "<blockquote><p>Said</p></blockquote>",
    "<p>Aside</p>",
    '<p>a &lt; b <a href="https://tea.example/"><code>tea</code></a><br /><em><strong>so</strong></em></p>',
    '<ol><li>one<ul><li><a href="https://tea.example/"><code>tea</code></a></li></ul></li></ol>',
  ]);
  expect(newer.content.html).toContain("<figcaption>By Ada</figcaption>");
  expect(plain(older.content.html)).toBe("(a)\n<p>Between</p>\n<pre><code>c &gt; d</code></pre>");
});
