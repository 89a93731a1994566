import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { runPlaten } from "../support/program";
import { createFolder, jpeg, startTransfer } from "../transfer/start-transfer";
import { zipped } from "../transfer/zipped";

const fileOf = async (name: string, content: string | Uint8Array) =>
  join(await createFolder(null, { [name]: content }), name);

const OLD = "https://old.example";
const wxr = (version: string, ...items: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:wp="http://wordpress.org/export/${version}/"><channel><wp:wxr_version>${version}</wp:wxr_version><wp:base_blog_url>${OLD}</wp:base_blog_url><wp:author><wp:author_id>9</wp:author_id></wp:author>
${items.map((item) => `<item>${item}</item>`).join("\n")}</channel></rss>`;
const entry = (name: string, text: string, { type = "post", status = "publish", id = 1, more = "" } = {}) =>
  `<title>${name}</title><link>${OLD}/${name}/</link><wp:post_id>${id}</wp:post_id><wp:post_type>${type}</wp:post_type><wp:post_name>${name}</wp:post_name>
<wp:status>${status}</wp:status><wp:post_date_gmt>2013-05-04 10:30:00</wp:post_date_gmt><content:encoded><![CDATA[${text}]]></content:encoded>${more}`;
const meta = (key: string, value: string) =>
  `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${value}</wp:meta_value></wp:postmeta>`;
const upload = (id: number, path: string, more = "") =>
  `<title>${path}</title><wp:post_id>${id}</wp:post_id><wp:post_type>attachment</wp:post_type><wp:status>inherit</wp:status><wp:attachment_url>${OLD}/wp-content/uploads/${path}</wp:attachment_url>${more}`;

test.each([
  { version: "1.0", tag: "tag" },
  { version: "1.1", tag: "post_tag" },
  { version: "1.2", tag: "post_tag" },
])("WXR $version is detected, and its categories and tags are imported once", async ({ version, tag }) => {
  await using at = await startTransfer();
  // The oldest format has each name twice.
  const topics = `<category><![CDATA[Sea]]></category><category domain="category" nicename="sea"><![CDATA[Sea]]></category>
<category domain="${tag}"><![CDATA[Salt]]></category><category domain="${tag}" nicename="salt"><![CDATA[Salt]]></category>`;
  const file = await fileOf("old.xml", wxr(version, entry("tide", "It comes.", { more: topics })));
  expect((await at.importFrom("auto", file)).stdout).toStartWith(
    "Imported 1 post, 0 pages, 0 komments, 0 files.",
  );
  expect((await at.posts()).tide).toMatchObject({ category: { name: "Sea" }, tags: ["Salt"] });
});

test("each shortcode of WordPress becomes what it showed", async () => {
  await using at = await startTransfer();
  const text = [
    `[caption id="a" width="9" caption="Said in it"]<img src="${OLD}/wp-content/uploads/a.jpg" alt="" class="wp-image-21">[/caption]`,
    "[embed]https://vimeo.com/76979871[/embed]",
    "[youtube=https://www.youtube.com/watch?v=dQw4w9WgXcQ]",
    `[video width="9" mp4="${OLD}/film.mp4"][/video]`,
    `[audio mp3="${OLD}/sound.mp3"][/audio]`,
    '[code language="PHP"]a &lt; b[/code]',
    "One page.\n<!--nextpage-->\nAnother.",
  ].join("\n\n");
  const items = [
    entry("codes", text),
    entry("all", "[gallery]", { id: 2 }),
    entry("some", '[gallery ids="22"]', { id: 3 }),
    upload(21, "a.jpg", `<wp:post_parent>2</wp:post_parent>${meta("_wp_attachment_image_alt", "A boat")}`),
    upload(22, "b.jpg", "<wp:post_parent>2</wp:post_parent><excerpt:encoded>By night</excerpt:encoded>"),
  ];
  const media = await createFolder(null, { "a.jpg": await jpeg(), "b.jpg": await jpeg() });
  await at.importFrom("auto", await fileOf("old.xml", wxr("1.2", ...items)), "--no-fetch", "--media", media);
  const { codes, all, some } = await at.posts();
  const { html } = codes.content;
  expect(html).toMatch(/a\.jpg"[^>]* alt="A boat"[^>]*><figcaption>Said in it<\/figcaption>/);
  expect(html).toContain('src="https://player.vimeo.com/video/76979871"');
  expect(html).toContain('src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"');
  expect(html).toContain(`<video src="${OLD}/film.mp4" controls`);
  expect(html).toContain(`<audio src="${OLD}/sound.mp3" controls`);
  expect(html).toMatch(/<pre><code class="language-php">a &lt; b<\/code><\/pre>/);
  expect(html).toContain("<p>One page.</p>\n<p>Another.</p>");
  expect(codes.content.text).not.toMatch(/\[\w/);
  expect(all.content.html.match(/<figure/g)).toHaveLength(2);
  expect(some.content.html.match(/<figure/g)).toHaveLength(1);
  expect(some.content.html).toContain("<figcaption>By night</figcaption>");
});

test("HTML in WordPress titles, topics, names, alt texts and captions becomes plain text", async () => {
  await using at = await startTransfer();
  const more = `<category domain="category" nicename="food"><![CDATA[Food &amp; Drink]]></category><category domain="post_tag" nicename="rd"><![CDATA[R&amp;D]]></category>
<wp:comment><wp:comment_author><![CDATA[Tom &amp; Co]]></wp:comment_author><wp:comment_content>Hi</wp:comment_content><wp:comment_approved>1</wp:comment_approved></wp:comment>${meta("_thumbnail_id", "22")}`;
  const text = `[gallery ids="21"]\n\n[caption caption="Said &amp; done"]<img src="${OLD}/wp-content/uploads/c.jpg" alt="">[/caption]`;
  const known = (alt: string, caption: string) =>
    `${meta("_wp_attachment_image_alt", `<![CDATA[${alt}]]>`)}<excerpt:encoded><![CDATA[${caption}]]></excerpt:encoded>`;
  const items = [
    entry("tea", text, { more }).replace(
      "<title>tea<",
      "<title><![CDATA[Tom &amp; Jerry&#8217;s<br /><em>tea</em>, 1 < 2]]><",
    ),
    upload(21, "a.jpg", known("A &amp; B", 'By <a href="https://x.example">Ada</a> &amp; me')),
    upload(22, "b.jpg", known("B &amp; C", "<em>On</em> top")),
    upload(23, "c.jpg"),
  ];
  const media = await createFolder(null, {
    "a.jpg": await jpeg(),
    "b.jpg": await jpeg(),
    "c.jpg": await jpeg(),
  });
  const file = await fileOf("old.xml", wxr("1.2", ...items));
  await at.importFrom("auto", file, "--no-fetch", "--media", media);
  const { tea } = await at.posts();
  expect(tea).toMatchObject({
    title: "Tom & Jerry\u2019s tea, 1 < 2",
    category: { name: "Food & Drink" },
    tags: ["R&D"],
  });
  const captions = [...tea.content.html.matchAll(/<figcaption>(.*?)<\/figcaption>/g)].map(([, one]) => one);
  expect(captions).toEqual(["On top", "By Ada &amp; me", "Said &amp; done"]);
  expect(tea.content.html).toMatch(/alt="B &amp; C".*alt="A &amp; B"/s);
  const [komment] = JSON.parse((await at.platen("komment", "list", "--json")).stdout);
  expect(komment.name).toBe("Tom & Co");
});

test("numbers in warnings are formatted like all others", async () => {
  await using at = await startTransfer();
  const more = "<wp:comment><wp:comment_type>pingback</wp:comment_type></wp:comment>".repeat(1200);
  const { stdout } = await at.importFrom(
    "auto",
    await fileOf("old.xml", wxr("1.2", entry("tea", "A", { more }))),
  );
  expect(stdout).toContain("  1,200 × pingbacks and rejected comments\n");
});

test("two WordPress posts with the same GUID are both imported, and not again in a second run", async () => {
  await using at = await startTransfer();
  const guid = { more: `<guid>${OLD}/?p=1</guid>` };
  const items = [
    entry("first", "A", guid),
    entry("copy", "B", { ...guid, id: 2 }),
    entry("first", "A", guid),
  ];
  const file = await fileOf("old.xml", wxr("1.2", ...items));
  expect((await at.importFrom("auto", file, "--dry-run")).stdout).toStartWith("Would import 2 posts,");
  expect((await at.importFrom("auto", file)).stdout).toStartWith("Imported 2 posts,");
  expect(Object.keys(await at.posts()).toSorted()).toEqual(["copy", "first"]);
  expect((await at.importFrom("auto", file)).stdout).toStartWith("Imported 0 posts,");
});

test("files missing in a WordPress export are reported; size suffixes belong to the original", async () => {
  await using at = await startTransfer();
  const uploads = `${OLD}/wp-content/uploads`;
  const shown = `<img src="${uploads}/a.jpg?w=640&amp;h=480" alt=""> <img src="https://i0.wp.com/old.example/wp-content/uploads/a-300x200.jpg?fit=300%2C200&amp;ssl=1" alt=""> <img src="${uploads}/show.php?id=3" alt="">`;
  const items = [
    entry("galleries", '[gallery ids="21,999"]\n\n[gallery]'),
    entry("top", "Text.", { id: 2, more: meta("_thumbnail_id", "998") }),
    entry("untopped", "Text.", { id: 3, more: meta("_thumbnail_id", "-1") }),
    entry("block", '<!-- wp:paragraph --><p>A</p><!-- /wp:paragraph --><!-- wp:block {"ref":997} /-->', {
      id: 4,
    }),
    entry("sizes", shown, { id: 5 }),
    upload(21, "a.jpg?v=2"),
    upload(22, "show.php?id=4"),
  ];
  const file = await fileOf("old.xml", wxr("1.2", ...items));
  const { stdout } = await at.importFrom("auto", file, "--no-fetch");
  for (const what of ["2 × gallery images", "1 × featured images", "1 × reusable blocks"])
    expect(stdout).toContain(`  ${what}, missing in the export: export All content\n`);
  expect(stdout).toContain("  1 × uploads that no post or page uses\n");
  const { sizes, galleries } = await at.posts();
  expect(sizes.content.html.match(/a\.jpg\?v=2"/g)).toHaveLength(2);
  expect(sizes.content.html).toContain("show.php?id=3");
  expect(galleries.content.html.match(/<img/g)).toHaveLength(1);
});

test("a WordPress post gets its slug, whatever its link ends with", async () => {
  await using at = await startTransfer();
  const unlinked = entry("called-so", "x").replace(`${OLD}/called-so/`, `${OLD}/?p=1`);
  await at.importFrom(
    "auto",
    await fileOf("old.xml", wxr("1.2", unlinked.replace("<title>called-so", "<title>Else"))),
  );
  expect(Object.keys(await at.posts())).toEqual(["called-so"]);
});

test("no server is requested if downloads are off", async () => {
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      requests.push(url);
      return new Response("no", { status: 404 });
    },
  });
  await using at = await startTransfer();
  const file = await fileOf("a.md", `---\ntitle: A\ndate: 2020-01-01\n---\n![A](${server.url}a.jpg)`);
  const env = { PLATEN_DATA: at.data, PLATEN_PRIVATE_HOSTS: "127.0.0.1" };
  const words = ["import", "markdown", file, "--blog", "garden"];
  const { stdout } = await runPlaten([...words, "--no-fetch"], { env });
  expect(stdout).toContain(`${server.url}a.jpg (in a.md): downloads are off`);
  expect((await at.posts()).a.content.html).toContain(`src="${server.url}a.jpg"`);
  expect(requests).toEqual([]);
  await server.stop(true);
});

test("Ghost: states, file cards, content below a gallery, and JSON without a wrapper", async () => {
  await using at = await startTransfer();
  const html = `<figure class="kg-card kg-gallery-card kg-card-hascaption"><div class="kg-gallery-container"><div class="kg-gallery-row"><div class="kg-gallery-image"><img src="__GHOST_URL__/content/images/a.jpg" alt="One"></div><div class="kg-gallery-image"><img src="__GHOST_URL__/content/images/b.jpg" alt="Two"></div></div></div><figcaption>Both</figcaption></figure>
<div class="kg-card kg-file-card"><a class="kg-file-card-container" href="https://fog.example/content/files/map.pdf"><div class="kg-file-card-title">The map</div><div class="kg-file-card-filesize">3 MB</div></a></div>`;
  const shown = { status: "published", published_at: "2020-01-01T00:00:00Z", html: "<p>x</p>" };
  const posts = [
    { id: 1, slug: "cards", title: "Cards", ...shown, html },
    { id: 2, slug: "mailed", title: "Mailed", ...shown, status: "sent" },
    {
      id: 3,
      slug: "soon",
      title: "Soon",
      ...shown,
      status: "scheduled",
      published_at: "2131-01-01T00:00:00Z",
    },
  ];
  const folder = await createFolder(null, {
    "ghost.json": JSON.stringify({ meta: { exported_on: 1 }, data: { posts } }),
    "content/images/a.jpg": await jpeg(),
    "content/images/b.jpg": await jpeg(),
  });
  const { stdout } = await at.importFrom("auto", folder, "--no-fetch");
  expect(stdout).toStartWith("Imported 3 posts, 0 pages, 0 komments, 2 files.\n1 post is not public");
  expect(stdout).toContain("1 post is scheduled");
  const { cards, mailed, soon } = await at.posts();
  expect([mailed.status, soon.published_at]).toEqual(["archived", "2131-01-01T00:00:00.000Z"]);
  expect(cards.content.html).toMatch(
    /^<figure[^>]*><img[^>]*alt="One"[^>]*><\/figure>\s*<figure[^>]*><img[^>]*alt="Two"[^>]*><\/figure>\s*<p>Both<\/p>/,
  );
  expect(cards.content.html).toContain(
    '<p><a href="https://fog.example/content/files/map.pdf">The map</a></p>',
  );
  expect(cards.content.text).not.toContain("3 MB");
  await at.api(`/posts/${cards.id}`, "PATCH", { post: { slug: "now" } });
  expect((await at.page("/cards/")).headers.get("location")).toBe(`${at.url}/now`);
});

test("Jekyll: dates come from file names, times from the site's time zone", async () => {
  await using at = await startTransfer();
  const folder = await createFolder(null, {
    "_config.yml": "timezone: America/New_York\n",
    "_posts/2019-07-04-dated.md": "---\ntitle: Dated\n---\nx",
    "_posts/2019-07-05-timed.md": "---\ntitle: Timed\ndate: 2013-01-02 10:00:00\n---\nx",
  });
  await at.importFrom("auto", folder);
  const { dated, timed } = await at.posts();
  expect([dated.published_at, timed.published_at]).toEqual([
    "2019-07-04T04:00:00.000Z",
    "2013-01-02T15:00:00.000Z",
  ]);
});

test("Substack pictures are downloaded from their original; Medium texts on a custom domain get redirects", async () => {
  await using at = await startTransfer();
  const packed =
    "https://substackcdn.com/image/fetch/w_1456,c_limit/https%3A%2F%2Fbucketeer-e05b.s3.amazonaws.com%2Fpublic%2Fimages%2Fsea.jpeg";
  const substack = await createFolder(null, {
    "posts.csv":
      "post_id,post_date,is_published,type,audience,title\n1.sea,2022-01-02T03:04:05.000Z,true,newsletter,everyone,Sea\n",
    "posts/1.sea.html": `<p><img src="${packed}"></p>`,
  });
  const { stdout } = await at.importFrom("auto", substack, "--no-fetch");
  expect(stdout).toContain("  https://substack-post-media.s3.amazonaws.com/public/images/sea.jpeg (in Sea)");
  const own = "https://hills.example/up-the-hill-0a1b2c3d4e5f";
  const medium = await createFolder(null, {
    "posts/2018-06-07_Up-0a1b2c3d4e5f.html": `<h1 class="p-name">Up</h1><section class="e-content"><p>x</p></section><a class="p-canonical" href="${own}">c</a>`,
  });
  await at.importFrom("auto", medium);
  expect((await at.page(new URL(own).pathname)).headers.get("location")).toBe(`${at.url}/up-the-hill`);
});

test("WordPress: states, topics, komments and every former URL of a post", async () => {
  await using at = await startTransfer();
  const comment = (id: number, name: string, more: string) =>
    `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_author>${name}</wp:comment_author><wp:comment_content>Hello</wp:comment_content><wp:comment_date_gmt>2013-05-05 08:00:00</wp:comment_date_gmt>${more}</wp:comment>`;
  const shownBelow = (parent: number, user = 0) =>
    `<wp:comment_approved>1</wp:comment_approved><wp:comment_parent>${parent}</wp:comment_parent><wp:comment_user_id>${user}</wp:comment_user_id>`;
  const more = [
    `<guid isPermaLink="true">${OLD}/archives/7</guid>`,
    meta("_wp_old_slug", "first-name"),
    meta("_wp_old_slug", "second-name"),
    "<wp:comment_status>closed</wp:comment_status>",
    comment(
      1,
      "By mail",
      "<wp:comment_author_email>jun@example.com</wp:comment_author_email><wp:comment_approved>1</wp:comment_approved>",
    ),
    comment(2, "In the trash", "<wp:comment_approved>trash</wp:comment_approved>"),
    // The owner's replies: one at the end, and one with a reply.
    comment(3, "Bo", shownBelow(0)),
    comment(4, "Ada", shownBelow(3, 9)),
    comment(5, "Kim", shownBelow(0)),
    comment(6, "Ada", shownBelow(5, 9)),
    comment(7, "Kim again", shownBelow(6)),
  ].join("");
  const items = [
    entry("shown", "x", { id: 1, more }),
    entry("hers", "x", { id: 2, status: "private" }),
    entry("waits", "x", { id: 3, status: "pending" }),
    entry("thrown", "x", { id: 4, status: "trash" }),
    entry("never", "x", { id: 5, status: "auto-draft" }),
    entry("former", "x", { id: 6, type: "revision", status: "inherit" }),
  ];
  const { stdout } = await at.importFrom("auto", await fileOf("old.xml", wxr("1.2", ...items)));
  expect(stdout).toStartWith("Imported 3 posts, 0 pages, 5 komments, 0 files.\n2 posts are not public");
  expect(stdout).toContain("1 × posts in the trash");
  expect(stdout).not.toContain("revision");
  const { shown, hers, waits } = await at.posts();
  expect([shown.status, hers.status, waits.status]).toEqual(["published", "archived", "draft"]);
  expect(shown.meta.komments_disabled).toBe(true);
  const db = new Database(join(at.data, "platen.db"), { readonly: true });
  expect(db.query("SELECT name, address, answer FROM komments ORDER BY id").values()).toEqual([
    ["By mail", "jun@example.com", null],
    ["Bo", "", "Hello"],
    ["Kim", "", null],
    ["Ada", "", null],
    ["Kim again", "", null],
  ]);
  db.close();
  await at.api(`/posts/${shown.id}`, "PATCH", { post: { slug: "now" } });
  for (const former of ["/shown/", "/first-name/", "/second-name/", "/archives/7", "/?p=1"])
    expect([former, (await at.page(former)).headers.get("location")]).toEqual([former, `${at.url}/now`]);
  // A draft had no public URL.
  await at.api(`/posts/${waits.id}`, "PATCH", { post: { status: "published" } });
  expect((await at.page("/?p=3")).headers.get("location")).toBeNull();
});

test("relative URLs in a feed are resolved by the item or its base", async () => {
  await using at = await startTransfer();
  const rss = `<rss version="2.0"><channel><title>x</title>
<item><title>By its link</title><guid>1</guid><link>${OLD}/2014/one/</link><description>&lt;img src="a.jpg"&gt; &lt;img src="/b.jpg"&gt;</description></item></channel></rss>`;
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title>
<entry xml:base="${OLD}/atom/2015/"><title>By its base</title><id>urn:1</id><link href="two.html"/><updated>2015-01-01T00:00:00Z</updated><content type="html" xml:base="pictures/">&lt;img src="c.jpg"&gt;</content></entry></feed>`;
  const missingIn = async (name: string, feed: string) =>
    JSON.parse((await at.importFrom("feed", await fileOf(name, feed), "--no-fetch", "--json")).stdout)
      .missingFiles.lines;
  const lines = (...paths: string[]) =>
    paths.map((path) => expect.stringContaining(`${OLD}${path} (in By its`));
  expect(await missingIn("feed.xml", rss)).toEqual(lines("/2014/one/a.jpg", "/b.jpg"));
  expect(await missingIn("feed.atom", atom)).toEqual(lines("/atom/2015/pictures/c.jpg"));
  const { "by-its-link": one } = Object.fromEntries(
    Object.values(await at.posts()).map((post) => [post.title.toLowerCase().replaceAll(" ", "-"), post]),
  );
  // A missing file stays a link to its source.
  expect(one.content.source).toContain(`<img src="${OLD}/2014/one/a.jpg"> <img src="${OLD}/b.jpg">`);
  expect((await at.page("/atom/2015/two.html")).headers.get("location")).toBe(`${at.url}/two`);
});

test("the most specific of several possible formats is detected", async () => {
  await using at = await startTransfer();
  const page = "---\ntitle: A\ndate: 2020-01-01\n---\nText.";
  const rss = '<rss version="2.0"><channel><item><title>F</title><guid>1</guid></item></channel></rss>';
  const jsonFeed = '{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","content_text":"x"}]}';
  const bear = "---\ntitle: B\nslug: b\npublish: True\nmake_discoverable: True\n---\n\nx";
  const pagecord = '---\ntitle: "P"\npublished: true\npublished_at: 2024-05-06T07:08:09Z\n---\n\nx';
  const post =
    '<html><body><p class="p-name">M</p><section class="e-content"><p>x</p></section></body></html>';
  const both: Record<string, Record<string, string>> = {
    platen: {
      "archive.json": JSON.stringify({ format: "platen", version: 1, id: "x", url: "http://x.example" }),
      "blog.json": "{}",
      "a.md": page,
      "old.xml": wxr("1.2", entry("w", "x")),
    },
    wordpress: { "old.xml": wxr("1.2", entry("w", "x")), "feed.xml": rss, "a.md": page },
    ghost: {
      "ghost.json": '{"db":[{"data":{"posts":[{"id":"1","title":"G","html":"x"}]}}]}',
      "feed.json": jsonFeed,
      "index.html": "",
      "a.md": page,
    },
    bar: { "feed.json": jsonFeed, "index.html": "", "a.md": page },
    substack: {
      "posts.csv": "post_id,title,is_published\n1.s,S,true\n",
      "posts/1.s.html": "<p>x</p>",
      "a.md": page,
      "feed.xml": rss,
    },
    medium: { "posts/2018-06-07_M-0a1b2c3d4e5f.html": post, "a.md": page, "feed.xml": rss },
    bear: { "b.md": bear, "index.md": "x", "images/b/a.jpg": "x", "feed.xml": rss },
    pagecord: { "p.md": pagecord, "index.md": "x", "feed.xml": rss },
    feed: { "feed.xml": rss, "a.md": page },
  };
  for (const [format, files] of Object.entries(both)) {
    const packed = zipped(Object.entries(files).map(([path, content]) => ({ path, content })));
    await at.importFrom("auto", await fileOf(`${format}.zip`, packed), "--no-fetch");
  }
  const brought = JSON.parse((await at.platen("import", "list", "--json")).stdout);
  expect(
    brought
      .map(({ format, source }: { format: string; source: string }) => `${format} of ${source}`)
      .toReversed(),
  ).toEqual(
    Object.keys(both)
      .filter((format) => format !== "platen")
      .map((format) => `${format} of ${format}.zip`),
  );
});

test("an undone import leaves no words in the search and none of its tags, but those of others", async () => {
  await using at = await startTransfer();
  await at.api("/posts", "POST", {
    post: { title: "Kept", content: "<p>albatross</p>", status: "published", tags: ["sea"] },
  });
  const note = "---\ntitle: Brought\ndate: 2020-01-01\ntags: [sea, cliff]\n---\n\npetrel and albatross";
  await at.importFrom("markdown", await createFolder(null, { "a.md": note }));
  const searchSlugs = async (words: string) =>
    (await at.api(`/posts?status=all&search=${words}`)).posts.map(({ title }: { title: string }) => title);
  expect([await searchSlugs("petrel"), (await searchSlugs("albatross")).toSorted()]).toEqual([
    ["Brought"],
    ["Brought", "Kept"],
  ]);
  await at.platen("import", "undo", "1", "--yes");
  expect([await searchSlugs("petrel"), await searchSlugs("albatross")]).toEqual([[], ["Kept"]]);
  await at.api("/posts", "POST", { post: { title: "Later", content: "<p>gull</p>", status: "published" } });
  expect([await searchSlugs("petrel"), await searchSlugs("gull")]).toEqual([[], ["Later"]]);
  const db = new Database(join(at.data, "platen.db"), { readonly: true });
  expect(db.query("SELECT name FROM tags").values().flat()).toEqual(["sea"]);
  expect(db.query("SELECT count(*) FROM post_search WHERE post_search MATCH 'petrel'").values()).toEqual([
    [0],
  ]);
  db.close();
  expect(await at.page("/search?q=petrel").then((page) => page.text())).not.toContain("Brought");
});
