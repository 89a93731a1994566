import { expect, test } from "bun:test";
import { join } from "node:path";
import { createFolder, jpeg, startTransfer } from "./start-transfer";
import { type Packed, zipped } from "./zipped";

const fileOf = async (name: string, content: string) =>
  join(await createFolder(null, { [name]: content }), name);
const archiveOf = async (name: string, files: Packed[]) =>
  join(await createFolder(null, { [name]: zipped(files) }), name);

test("RSS items are imported with full text, times, categories and URLs; summaries are reported", async () => {
  await using at = await startTransfer();
  const path = await fileOf(
    "feed.xml",
    `<?xml version="1.0"?><rss version="2.0" xmlns:content="x"><channel><title>Old</title>
<item><title>One &amp; only</title><link>https://old.example/a/one</link><guid>g1</guid><pubDate>Thu, 02 Jan 2014 10:00:00 +0100</pubDate><category>Sea</category><description>Short</description><content:encoded><![CDATA[<p>Whole <b>text</b></p>]]></content:encoded></item>
<item><link>https://old.example/a/two</link><guid>g2</guid><pubDate>Fri, 03 Jan 2014 10:00:00 GMT</pubDate><description>&lt;p&gt;Only a summary&lt;/p&gt;</description></item>
</channel></rss>`,
  );
  const { stdout } = await at.importFrom("auto", path);
  expect(stdout).toStartWith("Imported 2 posts,");
  expect(stdout).toContain("1 × the full text");
  const { one, two } = await at.posts();
  expect(one).toMatchObject({ title: "One & only", published_at: "2014-01-02T09:00:00.000Z", tags: ["Sea"] });
  expect(one.content.html).toBe("<p>Whole <b>text</b></p>");
  expect(two.content.text).toBe("Only a summary");
  expect((await at.page("/a/one")).headers.get("location")).toBe(`${at.url}/one`);
});

test("an Atom feed with XHTML, and a JSON feed", async () => {
  await using at = await startTransfer();
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>
<entry><id>urn:1</id><title type="html">A &amp;lt;b&amp;gt; &lt;i&gt;title&lt;/i&gt;</title><link rel="edit" href="https://old.example/edit"/><link href="https://old.example/first"/><published>2015-01-01T00:00:00Z</published><updated>2015-02-01T00:00:00Z</updated><category term="sea" label="The sea"/>
<content type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p>Before <x:em>and</x:em> after &amp; on</x:p></x:div></content></entry></feed>`;
  await at.importFrom("feed", await fileOf("feed.atom", atom));
  const json = {
    version: "https://jsonfeed.org/version/1.1",
    items: [
      {
        id: "1",
        url: "https://old.example/plain",
        content_text: "a < b",
        date_published: "2016-01-01T00:00:00Z",
      },
    ],
  };
  await at.importFrom("feed", await fileOf("feed.json", JSON.stringify(json)));
  const { first, plain } = await at.posts();
  expect(first).toMatchObject({ updated_at: "2015-02-01T00:00:00.000Z", tags: ["The sea"] });
  expect(first.content.html).toBe("<div><p>Before <em>and</em> after &amp; on</p></div>");
  expect(plain.content.html).toBe("<p>a &lt; b</p>");
});

test("a .bar of Micro.blog: Markdown is preferred to HTML, and pictures are found by path", async () => {
  await using at = await startTransfer();
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    items: [
      {
        id: "1",
        url: "https://me.example/2017/11/24/hello.html",
        content_text: "Hello *there*\n\n![A cat](https://me.example/uploads/2017/cat.jpg)",
        content_html: "<p>Hello <!-- raw HTML omitted --></p>",
        date_published: "2017-11-24T10:00:00+00:00",
        tags: ["cats"],
      },
    ],
  };
  const archive = await archiveOf("me.bar", [
    { path: "feed.json", content: JSON.stringify(feed) },
    { path: "index.html", content: "<div class=h-feed></div>" },
    { path: "uploads/2017/cat.jpg", content: await jpeg() },
  ]);
  const { stdout } = await at.importFrom("auto", archive, "--no-fetch");
  expect(stdout).toStartWith("Imported 1 post, 0 pages, 0 komments, 1 file.");
  const { hello } = await at.posts();
  expect(hello).toMatchObject({ title: "", tags: ["cats"] });
  expect(hello.content.html).toMatch(/<p>Hello <em>there<\/em><\/p>\s*<figure.*alt="A cat"/);
  expect((await at.page("/2017/11/24/hello.html")).headers.get("location")).toBe(`${at.url}/hello`);
});

test("Markdown pictures that are not fetched keep their alt texts", async () => {
  await using at = await startTransfer();
  const text = `![a.png](a.png "of a.png") ![B "b"][b] ![c.png] [![d](d.png)](/d-whole.png)

[b]: /b.png 'Said "so"'
[c.png]: c.png`;
  const items = [{ id: "1", url: "https://me.example/2017/hello", content_text: text }];
  const archive = await archiveOf("me.bar", [
    { path: "feed.json", content: JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items }) },
    { path: "index.html", content: "<div class=h-feed></div>" },
  ]);
  await at.importFrom("bar", archive, "--no-fetch");
  const { hello } = await at.posts();
  expect(hello.content.source.split("\n")[0]).toBe(
    '![a.png](https://me.example/2017/a.png "of a.png") ![B "b"](<https://me.example/b.png> "Said \\"so\\"") ![c.png](<https://me.example/2017/c.png>) [![d](d.png)](https://me.example/d-whole.png)',
  );
});

test("a Bear blog, by its table or by its texts without YAML", async () => {
  await using at = await startTransfer();
  const table = `\uFEFFuid,title,slug,alias,published date,all tags,publish,make discoverable,is page,content,canonical url,meta description,meta image,lang,class name,first published at
abc,"My ""first"": post",first,old/first,2021-03-04T05:06:07+00:00,"[""a"", ""b""]",True,True,False,"Line one,
line *two*",,,,,,
def,About,about,,2021-03-05T05:06:07+00:00,[],False,True,True,Me,,,,,,
`;
  expect((await at.importFrom("auto", await fileOf("posts.csv", table))).stdout).toStartWith(
    "Imported 1 post, 1 page,",
  );
  const text = `---
title: Second: a "post"
slug: second
alias:
published_date: 2021-04-04T05:06:07.123456+00:00
tags: sea, hills
publish: True
make_discoverable: True
is_page: False
---

# Not the title
Text.`;
  const archive = await archiveOf("bear.zip", [{ path: "second.md", content: text }]);
  expect((await at.importFrom("auto", archive)).stdout).toStartWith("Imported 1 post,");
  const { first, second, about } = await at.posts();
  expect(first).toMatchObject({
    title: 'My "first": post',
    tags: ["a", "b"],
    published_at: "2021-03-04T05:06:07.000Z",
  });
  expect(first.content.source).toBe("Line one,\nline *two*");
  expect(second).toMatchObject({ title: 'Second: a "post"', tags: ["sea", "hills"] });
  expect(second.content.source).toStartWith("# Not the title");
  expect(about).toMatchObject({ type: "page", status: "draft" });
  expect((await at.page("/old/first/")).headers.get("location")).toBe(`${at.url}/first`);
});

test("a Pagecord blog in Markdown: the repeated title is removed, comments are imported", async () => {
  await using at = await startTransfer();
  const post = `---
title: "On "quotes" and more"
published: true
published_at: 2024-05-06T07:08:09Z
tags: ["sea"]
---

# On "quotes" and more

Text. ![A](images/on-quotes/a.jpg)

## Comments

**Jun** · 07 May 2024

Nice.
`;
  const note = `---\ntitle: "Just a short note"\npublished: false\n---\n\nJust a short note.`;
  const archive = await archiveOf("garden_export.zip", [
    { path: "index.md", content: "- [On quotes](on-quotes.md)" },
    { path: "on-quotes.md", content: post },
    { path: "note.md", content: note },
    { path: "images/on-quotes/a.jpg", content: await jpeg() },
  ]);
  const { stdout } = await at.importFrom("auto", archive);
  expect(stdout).toStartWith("Imported 2 posts, 0 pages, 0 komments, 1 file.\n1 post");
  expect(stdout).toContain("1 × comments, because the export lacks their times");
  const { "on-quotes": quotes, note: short } = await at.posts();
  expect(quotes).toMatchObject({
    title: 'On "quotes" and more',
    published_at: "2024-05-06T07:08:09.000Z",
    tags: ["sea"],
  });
  expect(quotes.content.source).toMatch(/^Text\. <action-text-attachment [^>]*><\/action-text-attachment>$/);
  expect(short).toMatchObject({ title: "", status: "draft" });
});

test("a Substack: posts and original pictures; paid posts stay hidden, and the list of readers is not read", async () => {
  await using at = await startTransfer();
  const table = `post_id,post_date,is_published,email_sent_at,type,audience,title,subtitle,podcast_url
101.sea,2022-01-02T03:04:05.000Z,true,,newsletter,everyone,The &amp; sea,Salt &amp; light,
102.paid,2022-01-03T03:04:05.000Z,TRUE,,newsletter,only_paid,For payers,,
103.draft,,false,,newsletter,everyone,,,
104.founders,2022-01-04T03:04:05.000Z,TRUE,,newsletter,founding,For founders,,
105.free,2022-01-05T03:04:05.000Z,TRUE,,newsletter,only_free,For who has subscribed and does not pay,,
106.later,,false,,newsletter,only_paid,,,
`;
  const attributes = (known: object) => Bun.escapeHTML(JSON.stringify(known));
  const tweet = attributes({ url: "https://tweets.example/1", full_text: "Said <b>there</b>", name: "Jun" });
  const other = attributes({ canonical_url: "https://sea.example/p/tide", title: "The tide" });
  const embeds = `<div class="tweet" data-attrs="${tweet}"></div><div class="digest-post-embed" data-attrs="${other}"></div><div class="vimeo-wrap" data-attrs="${attributes({ videoId: "76979871" })}"></div><p>Note<a class="footnote-anchor" id="footnote-anchor-1" href="#footnote-1">1</a></p><div class="footnote"><a id="footnote-1" href="#footnote-anchor-1" class="footnote-number">1</a><p>The note.</p></div>`;
  const html = `<p>Waves.</p><div class="captioned-image-container"><figure><a class="image-link" href="https://substackcdn.com/image/fetch/f_auto/https%3A%2F%2Fbucketeer-e05b.s3.amazonaws.com%2Fpublic%2Fimages%2Fsea.jpeg"><div class="image2-inset"><picture><source type="image/webp" srcset="x 1w"><img src="https://substackcdn.com/image/fetch/w_1456/https%3A%2F%2Fbucketeer-e05b.s3.amazonaws.com%2Fpublic%2Fimages%2Fsea.jpeg" alt="A wave"></picture></div></a><figcaption>Big</figcaption></figure></div><p class="button-wrapper"><a href="%%checkout_url%%">Subscribe</a></p>${embeds}`;
  const archive = await archiveOf("sub.zip", [
    { path: "posts.csv", content: table },
    { path: "posts/101.sea.html", content: html },
    { path: "posts/102.paid.html", content: "<p>Secret</p>" },
    { path: "posts/103.draft.html", content: "<p>Soon</p>" },
    { path: "posts/104.founders.html", content: "<p>Secret too</p>" },
    { path: "posts/105.free.html", content: "<p>Please pay</p>" },
    { path: "posts/106.later.html", content: "<p>Later</p>" },
    { path: "email_list.sea.csv", content: "email\nreader@example.com", says: { crc: 1 } },
  ]);
  const media = await createFolder(null, { "public/images/sea.jpeg": await jpeg() });
  const { stdout } = await at.importFrom("auto", archive, "--no-fetch", "--media", media);
  expect(stdout).toStartWith("Imported 6 posts, 0 pages, 0 komments, 1 file.\n5 posts");
  expect(stdout).toContain("2 × access for paying readers only");
  expect(stdout).toContain("1 × access for subscribers only");
  const { sea, paid, founders, free, later } = await at.posts();
  expect(sea.title).toBe("The & sea");
  expect(sea.content.html).toStartWith("<p><em>Salt &amp; light</em></p>\n<p>Waves.</p>");
  expect(sea.content.html).toMatch(/sea\.jpeg"[^>]* alt="A wave"[^>]*><figcaption>Big<\/figcaption>/);
  expect(sea.content.html).not.toContain("Subscribe");
  expect(sea.content.html).toContain(
    '<blockquote><p>Said &lt;b&gt;there&lt;/b&gt;</p><p><a href="https://tweets.example/1">Jun</a></p></blockquote>',
  );
  expect(sea.content.html).toContain('<a href="https://sea.example/p/tide">The tide</a>');
  expect(sea.content.html).toContain('src="https://player.vimeo.com/video/76979871"');
  expect(sea.content.html).toContain('<a id="fnref-1" href="#fn-1">1</a>');
  expect(sea.content.html).toContain('<a id="fn-1" href="#fnref-1">1</a>');
  const states = [paid, founders, free, later].map(({ status }) => status);
  expect(states).toEqual(["archived", "archived", "archived", "draft"]);
  expect((await at.page("/p/sea")).headers.get("location")).toBe(`${at.url}/sea`);
});

test("a Medium export: the title once, drafts; what looks like a reply is a draft too", async () => {
  await using at = await startTransfer();
  const page = (
    title: string,
    body: string,
    more = "",
    subtitle = "",
  ) => `<!DOCTYPE html><html><head><title>x</title></head><body><article class="h-entry">
<header><h1 class="p-name">${title}</h1></header><section data-field="subtitle" class="p-summary">${subtitle}</section>
<section data-field="body" class="e-content"><section><div class="section-divider"><hr class="section-divider"></div><div>${body}</div></section></section>
<footer><p>By <a class="p-author h-card" href="x">A</a> on <a href="y"><time class="dt-published" datetime="2018-06-07T08:09:10.000Z">June 7</time></a>.</p>${more}</footer></article></body></html>`;
  const archive = await archiveOf("medium.zip", [
    {
      path: "posts/2018-06-07_Up-the-hill-0a1b2c3d4e5f.html",
      content: page(
        "Up the hill",
        '<h3 name="t">Up the hill</h3><h4>A walk</h4><p>Step by step.</p><figure><img src="https://cdn-images-1.medium.com/max/800/hill.jpeg"><figcaption>Top</figcaption></figure><pre data-code-block-lang="python"><span><span class="hljs-keyword">def</span> a():<br />  pass</span></pre><figure><script src="https://gist.github.com/a/1.js"></script></figure>',
        '<p><a href="https://medium.com/@a/up-the-hill-0a1b2c3d4e5f" class="p-canonical">Canonical link</a></p>',
        "A walk",
      ),
    },
    {
      path: "posts/2018-06-08_Well-said-111111111111.html",
      content: page("Well said, all of it…", "<p>Well said, all of it, and more.</p>"),
    },
    { path: "posts/draft_Soon-222222222222.html", content: page("Soon", "<h3>Soon</h3><p>Later.</p>") },
    { path: "profile/profile.html", content: "<p>me</p>" },
  ]);
  const { stdout } = await at.importFrom("auto", archive, "--no-fetch");
  expect(stdout).toStartWith("Imported 3 posts, 0 pages, 0 komments, 0 files.\n2 posts");
  expect(stdout).toContain("1 × the status of posts that look like replies");
  // Without a profile page, all files are in one folder.
  const folder = await createFolder(null, { "posts/2018-06-07_Up-the-hill-0a1b2c3d4e5f.html": "" });
  expect((await at.importFrom("auto", join(folder, "posts"), "--dry-run")).stdout).toContain(
    "1 post skipped: already imported.",
  );
  const { "up-the-hill": hill } = await at.posts();
  expect(hill).toMatchObject({ title: "Up the hill", published_at: "2018-06-07T08:09:10.000Z" });
  expect(hill.content.html).not.toContain("<h3>Up the hill");
  expect(hill.content.text).toContain("Step by step.");
  expect(hill.content.html).toMatch(
    /<pre><code class="language-python">.*def.*:\n {2}.*pass.*<\/code><\/pre>/,
  );
  expect(hill.content.html).toContain('<a href="https://gist.github.com/a/1">');
});

test("each field of a Bear and a Pagecord post is imported", async () => {
  await using at = await startTransfer();
  const table = `\uFEFFuid,title,slug,alias,published date,all tags,publish,make discoverable,is page,content,canonical url,meta description,meta image,lang,class name,first published at
abc,A post,other,,2021-03-04T05:06:07+00:00,"sea, hills",True,True,False,x,,In short,,,,
,No uid,nouid,,2021-03-04T05:06:07+00:00,[],True,True,False,x,,,,,,
,No uid either,nouid-too,,2021-03-04T05:06:07+00:00,[],True,True,False,x,,,,,,
`;
  const { stdout } = await at.importFrom("auto", await fileOf("posts.csv", table));
  expect(stdout).toStartWith("Imported 3 posts,");
  expect((await at.posts()).other.tags).toEqual(["sea", "hills"]);
  await at.api(`/posts/${(await at.posts()).other.id}`, "PATCH", { post: { slug: "else" } });
  expect((await at.page("/other/")).headers.get("location")).toBe(`${at.url}/else`);

  const bear = await archiveOf("bear.zip", [
    {
      path: "soon.md",
      content:
        "---\r\ntitle: Soon\r\nslug: soon\r\nalias: once\r\npublished_date: 2021-04-04T05:06:07+00:00\r\ntags:\r\npublish: False\r\nmake_discoverable: True\r\nis_page: False\r\n---\r\n\r\nText.",
    },
  ]);
  expect((await at.importFrom("bear", bear)).stdout).toStartWith(
    "Imported 1 post, 0 pages, 0 komments, 0 files.\n1 post is not public",
  );
  // A folder that could be Bear or Pagecord: the given format is used.
  const both = await archiveOf("both.zip", [
    { path: "index.md", content: "x" },
    {
      path: "of-bear.md",
      content: "---\ntitle: B\nslug: of-bear\npublish: True\nmake_discoverable: True\n---\n\nx",
    },
    { path: "images/of-bear/a.jpg", content: await jpeg() },
  ]);
  expect((await at.importFrom("auto", both)).stdout).toStartWith("Imported 1 post,");
  expect(JSON.parse((await at.platen("import", "list", "--json")).stdout)[0].format).toBe("bear");

  const page = await archiveOf("page.zip", [
    { path: "index.html", content: "<ul></ul>" },
    {
      path: "by-html.html",
      content: "<html><body><h1>By HTML</h1><p>Text <img src='images/by-html/a.jpg'></p></body></html>",
    },
    { path: "images/by-html/a.jpg", content: await jpeg() },
  ]);
  const brought = await at.importFrom("auto", page);
  expect(brought.stdout).toStartWith("Imported 1 post, 0 pages, 0 komments, 1 file.");
  expect(brought.stdout).toContain("1 × dates, tags and draft status");
  const { "by-html": html } = await at.posts();
  expect(html.title).toBe("By HTML");
  expect(html.content.html).not.toContain("By HTML");
  const words = await archiveOf("words.zip", [
    { path: "index.md", content: "x" },
    { path: "posts.md", content: "a list" },
    {
      path: "the-address.md",
      content:
        '---\ntitle: "Called otherwise"\npublished: true\npublished_at: 2024-05-06T07:08:09Z\ntags: []\n---\n\n# Called otherwise\n\nx',
    },
  ]);
  expect((await at.importFrom("auto", words)).stdout).toStartWith("Imported 1 post,");
  expect(JSON.parse((await at.platen("import", "list", "--json")).stdout)[0].format).toBe("pagecord");
  const { "the-address": named } = await at.posts();
  await at.api(`/posts/${named.id}`, "PATCH", { post: { slug: "new-address" } });
  expect((await at.page("/the-address")).headers.get("location")).toBe(`${at.url}/new-address`);
});

test("a .bar is detected by its index page, and its pictures by the ends of their URLs", async () => {
  await using at = await startTransfer();
  const items = [
    {
      id: "1",
      url: "https://me.example/a",
      content_html: "<p>HTML <img src='https://cdn.example/me/uploads/2017/cat.jpg'></p>",
      date_published: "2017-11-24T10:00:00+00:00",
    },
    {
      id: "2",
      url: "https://me.example/b",
      content_text: "*Text*",
      content_html: "<p>no</p>",
      date_published: "2017-11-24T10:00:00+00:00",
    },
  ];
  const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items });
  const cat = { path: "uploads/2017/cat.jpg", content: await jpeg() };
  const bar = await archiveOf("me.zip", [
    { path: "feed.json", content: feed },
    { path: "index.html", content: "" },
    cat,
  ]);
  expect((await at.importFrom("auto", bar, "--no-fetch")).stdout).toStartWith(
    "Imported 2 posts, 0 pages, 0 komments, 1 file.",
  );
  const { a, b } = await at.posts();
  expect(a.content.html).toContain("cat.jpg");
  expect(b.content.html.trim()).toBe("<p><em>Text</em></p>");
  const alone = await archiveOf("alone.zip", [
    { path: "feed.json", content: feed },
    { path: "other.json", content: "{}" },
  ]);
  await at.importFrom("auto", alone, "--no-fetch");
  const formats = JSON.parse((await at.platen("import", "list", "--json")).stdout);
  expect(formats.map(({ format }: { format: string }) => format)).toEqual(["feed", "bar"]);
});
