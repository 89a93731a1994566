import { expect, test } from "bun:test";
import { join } from "node:path";
import { createFolder, jpeg, startTransfer } from "./start-transfer";

/** A feed in a folder with a picture. */
const fileOf = async (name: string, content: string) =>
  join(await createFolder(null, { [name]: content }), name);

const rss = (...items: string[]) =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:content="c" xmlns:dc="d" xmlns:media="m"><channel><title>Old</title>${items.map((item) => `<item>${item}</item>`).join("")}</channel></rss>`;

test("RSS items without guid or link are different items, even with equal titles", async () => {
  await using at = await startTransfer();
  const feed = rss(
    "<title>Note</title><dc:date>2014-01-02T10:00:00+01:00</dc:date><description>One</description>",
    "<title>Note</title><dc:date>2014-01-03T10:00:00+01:00</dc:date><description>Two</description>",
    "<description>&lt;p&gt;Three&lt;/p&gt;</description>",
    "<description>&lt;p&gt;Four&lt;/p&gt;</description>",
    "<title>Same</title><link>https://old.example/x</link><guid>g1</guid><description>Five</description>",
    "<title>Same</title><link>https://old.example/x</link><guid>g2</guid><description>Six</description>",
  );
  const file = await fileOf("feed.xml", feed);
  expect((await at.importFrom("feed", file, "--dry-run")).stdout).toStartWith("Would import 6 posts,");
  expect((await at.importFrom("feed", file)).stdout).toStartWith("Imported 6 posts,");
  const posts = Object.values(await at.posts());
  expect(posts.map(({ content }) => content.text).toSorted()).toEqual([
    "Five",
    "Four",
    "One",
    "Six",
    "Three",
    "Two",
  ]);
  expect(posts.find(({ content }) => content.text === "One").published_at).toBe("2014-01-02T09:00:00.000Z");
  expect((await at.importFrom("feed", file)).stdout).toStartWith("Imported 0 posts,");
});

test("an episode, a video and a picture outside of an item's text are imported", async () => {
  await using at = await startTransfer();
  const feed = rss(
    `<title>Episode</title><guid>1</guid><description>Listen</description><enclosure url="https://cdn.example/1.mp3?a=1&amp;b=2" type="audio/mpeg" length="9"/><enclosure url="https://cdn.example/notes.pdf" type="application/pdf"/>`,
    `<title>Film</title><guid>2</guid><description>Look</description><enclosure url="https://cdn.example/2.mp4" type="video/mp4"/>`,
    `<title>Shown</title><guid>3</guid><description>&lt;img src="https://cdn.example/in.jpg"&gt;</description><enclosure url="https://cdn.example/top.jpg" type="image/jpeg"/>`,
    `<title>Picture</title><guid>4</guid><description>See</description><enclosure url="https://cdn.example/top.jpg" type="image/jpeg"/>`,
  );
  const media = await createFolder(null, { "top.jpg": await jpeg(), "in.jpg": await jpeg() });
  const { stdout } = await at.importFrom(
    "auto",
    await fileOf("feed.rss", feed),
    "--no-fetch",
    "--media",
    media,
  );
  expect(stdout).toContain("1 × attached files that are not images, audio or video");
  expect(stdout).toContain("https://cdn.example/2.mp4 (in Film): downloads are off");
  const { episode, film, shown, picture } = await at.posts();
  expect(episode.content.html).toBe(
    'Listen\n<audio src="https://cdn.example/1.mp3?a=1&amp;b=2" controls></audio>',
  );
  expect(film.content.html).toContain('<video src="https://cdn.example/2.mp4" controls');
  expect(shown.content.html.match(/<img/g)).toHaveLength(1);
  expect(shown.content.html).toContain("in.jpg");
  expect(picture.content.html).toMatch(/^<figure.*top\.jpg.*<\/figure>\s*See$/s);
});

test("Atom: kinds of text, summaries, times, labels, and relative URLs", async () => {
  await using at = await startTransfer();
  const entry = (id: string, more: string) => `<entry><id>urn:${id}</id>${more}</entry>`;
  const feed = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>
${entry("1", `<title type="html">Salt &amp;amp; &lt;i&gt;light&lt;/i&gt;</title><link rel="self" href="https://old.example/1.atom"/><link href="https://old.example/salt"/><published>2015-01-01T00:00:00Z</published><updated>2015-02-01T00:00:00Z</updated><category term="sea"/><category term="h" label="The hill"/><content type="html">&lt;p&gt;A &lt;a href="/b"&gt;link&lt;/a&gt; &lt;img src="pic.jpg"&gt;&lt;/p&gt;</content>`)}
${entry("2", `<title>Only &lt;b&gt;text&lt;/b&gt;</title><link rel="alternate" href="https://old.example/plain"/><updated>2015-03-01T00:00:00Z</updated><content type="text">a &lt; b</content>`)}
${entry("3", `<title>In short</title><link href="https://old.example/short"/><published>2015-04-01T00:00:00Z</published><summary type="html">&lt;p&gt;The beginning&lt;/p&gt;</summary>`)}
</feed>`;
  const media = await createFolder(null, { "pic.jpg": await jpeg() });
  const { stdout } = await at.importFrom(
    "auto",
    await fileOf("feed.atom", feed),
    "--no-fetch",
    "--media",
    media,
  );
  expect(stdout).toStartWith("Imported 3 posts, 0 pages, 0 komments, 1 file.");
  expect(stdout).toContain("1 × the full text");
  const { salt, plain, short } = await at.posts();
  expect(salt).toMatchObject({
    title: "Salt & light",
    published_at: "2015-01-01T00:00:00.000Z",
    updated_at: "2015-02-01T00:00:00.000Z",
    tags: ["sea", "The hill"],
  });
  expect(salt.content.html).toContain("pic.jpg");
  expect(plain).toMatchObject({ title: "Only <b>text</b>", published_at: "2015-03-01T00:00:00.000Z" });
  expect(plain.content.html).toBe("<p>a &lt; b</p>");
  expect(short.content.html).toBe("<p>The beginning</p>");
  expect((await at.page("/short")).status).toBe(200);
});

test("JSON Feed: HTML before text, times, tags, attached pictures and sounds, empty items", async () => {
  await using at = await startTransfer();
  const items = [
    {
      id: "1",
      url: "https://old.example/2016/both.html",
      title: "Both",
      content_html: "<p>HTML</p>",
      content_text: "text",
      date_published: "2016-01-01T00:00:00+02:00",
      date_modified: "2016-02-01T00:00:00Z",
      tags: ["sea", "hill"],
      image: "https://old.example/top.jpg",
      attachments: [{ url: "https://old.example/1.m4a", mime_type: "audio/x-m4a" }],
    },
    { id: "2", url: "https://old.example/other", content_text: "other", title: "Other" },
    { url: "https://old.example/summary", summary: "Only that" },
    { url: "https://old.example/empty" },
    { content_text: "no name" },
    { content_text: "no name either" },
  ];
  const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1", title: "T", items });
  const media = await createFolder(null, { "top.jpg": await jpeg() });
  const { stdout } = await at.importFrom(
    "auto",
    await fileOf("feed.json", feed),
    "--no-fetch",
    "--media",
    media,
  );
  expect(stdout).toStartWith("Imported 5 posts, 0 pages, 0 komments, 1 file.");
  expect(stdout).toContain("https://old.example/empty: content or title is required.");
  expect(stdout).toContain("1 × the full text");
  const posts = await at.posts();
  const { both, other, summary } = posts;
  expect(both).toMatchObject({
    title: "Both",
    published_at: "2015-12-31T22:00:00.000Z",
    updated_at: "2016-02-01T00:00:00.000Z",
    tags: ["sea", "hill"],
  });
  expect(both.content.html).toMatch(
    /^<figure.*top\.jpg.*<\/figure>\s*<p>HTML<\/p>\s*<audio src="[^"]*1\.m4a" controls>/s,
  );
  expect(other.content.text).toBe("other");
  expect(summary.content.text).toBe("Only that");
  expect((await at.page("/2016/both.html")).headers.get("location")).toBe(`${at.url}/both`);
  expect(Object.values(posts).map(({ content }) => content.text)).toContain("no name either");
});

test("Atom: relative URLs are resolved by the feed's base", async () => {
  await using at = await startTransfer();
  const feed = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://old.example/blog/"><title>T</title>
<entry xml:base="2015/"><id>urn:1</id><title>Tea</title><link href="tea"/><updated>2015-01-01T00:00:00Z</updated><content type="html">&lt;img src="pic.jpg"&gt;</content></entry></feed>`;
  const { stdout } = await at.importFrom("feed", await fileOf("feed.atom", feed), "--no-fetch", "--json");
  const missing = "https://old.example/blog/2015/pic.jpg (in Tea)";
  expect(JSON.parse(stdout).missingFiles.lines).toEqual([expect.stringContaining(missing)]);
  expect((await at.page("/blog/2015/tea")).headers.get("location")).toBe(`${at.url}/tea`);
});
