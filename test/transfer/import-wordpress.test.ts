import { expect, test } from "bun:test";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { storeServerSettings } from "../../src/commands/shell/data-folder";
import { openReadOnly } from "../../src/database/open";
import { events } from "../../src/database/schema";
import { createFolder, FIXTURES, jpeg, png, startTransfer } from "./start-transfer";

const uploads = async () =>
  await createFolder(null, { "2013/05/rose.jpg": await jpeg(), "2013/05/bud.png": await png() });

test("a WordPress export in two files: texts, pictures, captions, komments, times, states", async () => {
  await using at = await startTransfer();
  const { code, stdout } = await at.importFrom(
    "wordpress",
    join(FIXTURES, "wordpress"),
    "--media",
    await uploads(),
  );
  expect(code).toBe(0);
  expect(stdout).toStartWith("Imported 4 posts, 1 page, 2 komments, 2 files.\n2 posts are not public");

  const { pruning, blocks, about, behind, ...others } = await at.posts();
  expect(pruning).toMatchObject({
    title: "Pruning & waiting",
    status: "published",
    published_at: "2013-05-04T10:30:00.000Z",
    updated_at: "2014-01-01T00:00:00.000Z",
    tags: ["May", "Work"],
  });
  expect(pruning.category.name).toBe("Roses");
  const { html } = pruning.content;
  expect(html).toContain("<p>First line<br />\nsecond line, <strong>bold</strong>.</p>");
  expect(html).toContain("<blockquote><p>Cut above the bud.</p>\n<p>Then wait.</p></blockquote>");
  expect(html).toContain("<pre>one\n\ntwo</pre>");
  expect(html).toMatch(
    /rose\.jpg"[^>]* alt="A red rose, half open".*<figcaption>A rose in May<\/figcaption>/,
  );
  expect(html.match(/<figure class="attachment/g)).toHaveLength(3);
  expect(html).toContain('src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"');
  expect(html).toContain("[this remark].]]&gt; The end.");

  expect(blocks.content.html).not.toContain("<br");
  expect(blocks.content.html).toMatch(/^<figure[^>]*><img src="[^"]*bud\.png"/);
  expect(blocks.content.html).toContain("<figcaption>Again the rose</figcaption>");
  expect(blocks.content.html).toContain('src="https://player.vimeo.com/video/76979871"');
  expect(blocks.content.html).toContain('<img src="https://gone.example/lost.jpg" alt="Lost"');
  expect(about).toMatchObject({ type: "page", status: "published" });
  expect(behind.status).toBe("archived");
  expect(Object.values(others)).toMatchObject([{ status: "draft", title: "A draft with no time" }]);
  expect(Object.values(others)[0]).toMatchObject({ published_at: null });

  const page = await (await at.page("/pruning")).text();
  expect(page).toContain('href="https://jun.example/"><bdi>Jun');
  expect(page).toContain("When do <em>you</em> cut?");
  expect(page).toContain("In spring.");
  expect(page).not.toContain("alert(1)");
  expect(page).not.toContain("May I?");
  const komments = JSON.parse((await at.platen("komment", "list", "--json")).stdout);
  expect(komments.map((one: { name: string; status: string }) => [one.name, one.status])).toEqual([
    ["Not yet", "waiting"],
    ["Jun", "shown"],
  ]);
});

test("WordPress URLs of a post redirect to it, by path and by number", async () => {
  await using at = await startTransfer();
  await at.importFrom("wordpress", join(FIXTURES, "wordpress"), "--no-fetch");
  for (const former of ["/2013/05/pruning/", "/2013/05/pruning", "/?p=11"]) {
    const answer = await at.page(former);
    expect([former, answer.status, answer.headers.get("location")]).toEqual([
      former,
      301,
      `${at.url}/pruning`,
    ]);
  }
  expect((await at.page("/?page_id=32")).headers.get("location")).toBe(`${at.url}/about`);
  expect((await at.page("/2013/06/behind/")).status).toBe(404);
  expect((await at.page("/2013/05/other/")).status).toBe(404);
  expect((await at.page("/?p=999")).status).toBe(200);
});

test("feed URLs of other programs redirect", async () => {
  await using at = await startTransfer();
  await at.importFrom("wordpress", join(FIXTURES, "wordpress"), "--no-fetch");
  for (const [former, present] of Object.entries({
    "/feed/": "feed.xml",
    "/feed/atom/": "feed.atom",
    "/index.xml": "feed.xml",
    "/category/roses/feed/": "category/roses/feed.xml",
  })) {
    const answer = await at.page(former);
    expect([former, answer.status, answer.headers.get("location")]).toEqual([
      former,
      301,
      `${at.url}/${present}`,
    ]);
    expect((await at.page(`/${present}`)).status).toBe(200);
  }
});

test("lost pictures, shortcodes, passwords, pingbacks and empty posts are reported", async () => {
  await using at = await startTransfer();
  const { code, stdout } = await at.importFrom("wordpress", join(FIXTURES, "wordpress"), "--no-fetch");
  expect(code).toBe(0);
  expect(stdout).toContain("Missing media files: 3");
  expect(stdout).toContain("https://gone.example/lost.jpg (in Made of blocks)");
  expect(stdout).toContain("https://garden.example/2015/01/empty/: content or title is required.");
  expect(stdout).toContain("1 × the shortcode [contact-form-7]");
  expect(stdout).toContain("2 × pingbacks and rejected comments");
  expect(stdout).toContain("1 × post passwords");
  expect(stdout).toContain("/2013/05/pruning → /pruning");
});

test("a dry run prints the same report and writes nothing", async () => {
  await using at = await startTransfer();
  const options = ["--media", await uploads(), "--dry-run"];
  const { code, stdout } = await at.importFrom("auto", join(FIXTURES, "wordpress"), ...options);
  expect(code).toBe(0);
  expect(stdout).toStartWith(
    "Would import 4 posts, 1 page, 2 komments, 2 files.\n1 more file would be downloaded.\n",
  );
  expect(stdout).toContain("/2013/05/pruning → /pruning");
  expect(stdout).toContain("content or title is required");
  expect(await at.posts()).toEqual({});
  expect((await at.api("/attachments")).attachments).toEqual([]);
  expect((await at.platen("import", "list", "--json")).stdout.trim()).toBe("[]");
});

test("an import sends no webhook events; later changes do", async () => {
  await using at = await startTransfer();
  await at.platen("webhook", "add", "--blog", "garden", "https://hooks.invalid/");
  await at.importFrom("wordpress", join(FIXTURES, "wordpress"), "--no-fetch");
  const db = openReadOnly(join(at.data, "platen.db"));
  const recordedEvents = () =>
    db
      .select({ name: events.name })
      .from(events)
      .all()
      .map(({ name }) => name);
  expect(recordedEvents()).toEqual([]);
  const { about } = await at.posts();
  await at.api(`/posts/${about.id}`, "PATCH", { post: { title: "The garden" } });
  expect(recordedEvents()).toEqual(["post.updated"]);
  await at.platen("import", "undo", "1", "--yes");
  expect(recordedEvents()).toEqual(["post.updated", "post.deleted"]);
  db.$client.close(false);
});

test("--partial imports a truncated export; a second run adds the rest without duplicates", async () => {
  await using at = await startTransfer();
  const first = await createFolder(null);
  const whole = await Bun.file(join(FIXTURES, "wordpress/garden.wordpress.001.xml")).text();
  await Bun.write(join(first, "garden.xml"), whole.slice(0, whole.indexOf("<title>Behind a password")));
  for (const options of [[], ["--dry-run"]]) {
    const refused = await at.importFrom("wordpress", first, "--no-fetch", ...options);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain(
      "garden.xml: The file is truncated inside <item>. Export the site again",
    );
  }
  expect(await at.posts()).toEqual({});
  expect((await at.platen("import", "list")).stdout).not.toContain("wordpress");
  const cut = await at.importFrom("wordpress", first, "--no-fetch", "--partial");
  expect(cut.code).toBe(0);
  expect(cut.stdout).toStartWith("Imported 2 posts,");
  expect(cut.stdout).toContain("garden.xml: The file is truncated inside <item>.");

  rmSync(join(first, "garden.xml"));
  cpSync(join(FIXTURES, "wordpress"), first, { recursive: true });
  const second = await at.importFrom("wordpress", first, "--no-fetch");
  expect(second.stdout).toStartWith("Imported 2 posts, 1 page,");
  expect(second.stdout).toContain("2 posts skipped: already imported.");
  expect(Object.keys(await at.posts())).toHaveLength(5);
  const third = await at.importFrom("wordpress", first, "--no-fetch");
  expect(third.stdout).toStartWith("Imported 0 posts, 0 pages,");
  expect(third.stdout).not.toContain("platen import undo");
});

test("import undo removes posts, files, categories and tags of the import only", async () => {
  await using at = await startTransfer();
  await at.importFrom("wordpress", join(FIXTURES, "wordpress"), "--media", await uploads());
  const confirmation = await at.platen("import", "undo", "1");
  expect(confirmation.code).toBe(2);
  expect(confirmation.stderr).toContain("what import 1 created: 5 posts and 2 files");
  expect(Object.keys(await at.posts())).toHaveLength(5);

  const undone = await at.platen("import", "undo", "1", "--yes");
  expect(undone.stdout).toBe("Undone: 5 posts, 2 files.\n");
  expect(await at.posts()).toEqual({});
  expect((await at.api("/attachments")).attachments).toEqual([]);
  expect((await at.api("/categories")).categories).toEqual([]);
  expect((await at.page("/2013/05/pruning/")).status).toBe(404);
  expect((await at.platen("komment", "list", "--json")).stdout.trim()).toBe("[]");
  expect((await at.platen("check")).code).toBe(0);
  const again = await at.importFrom("wordpress", join(FIXTURES, "wordpress"), "--no-fetch");
  expect(again.stdout).toStartWith("Imported 4 posts, 1 page,");
});

test("entities of a document are not expanded, and no file is read for them", async () => {
  await using at = await startTransfer();
  await at.importFrom("wordpress", join(FIXTURES, "wordpress"), "--no-fetch");
  const { content } = (await at.posts())["a-draft-with-no-time"];
  expect(content.text).toContain("&secret; &lol;");
});

test("each picture is downloaded once, and missing ones are reported", async () => {
  const bytes = await jpeg();
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      requests.push(new URL(url).pathname);
      return requests.at(-1)?.endsWith("rose.jpg")
        ? new Response(bytes)
        : new Response("no", { status: 404 });
    },
  });
  const files = ["001", "002"].map((part) => `garden.wordpress.${part}.xml`);
  const texts = await Promise.all(files.map((name) => Bun.file(join(FIXTURES, "wordpress", name)).text()));
  const here = texts.map((text) =>
    text.replaceAll("https://garden.example/wp-content", `${server.url}wp-content`),
  );
  const folder = await createFolder(
    null,
    Object.fromEntries(files.map((name, at) => [name, here[at] ?? ""])),
  );
  await using at = await startTransfer();
  const guarded = await at.importFrom("wordpress", folder, "--dry-run");
  expect(guarded.stdout).toContain("3 more files would be downloaded.");
  const { stdout } = await at.importFrom("wordpress", folder);
  expect(stdout).toContain("127.0.0.1 is a loopback address; set PLATEN_PRIVATE_HOSTS=127.0.0.1 to allow it");
  expect(requests).toEqual([]);

  await at.platen("import", "undo", "1", "--yes");
  Object.assign(at.at.platen.config, { privateHosts: ["127.0.0.1"] });
  storeServerSettings(at.at.platen);
  const opened = await at.importFrom("wordpress", folder);
  expect(opened.stdout).toContain(", 1 file.");
  expect(opened.stdout).toMatch(/bud\.png \(in [^)]+\): the server responded 404/);
  expect(requests.filter((path) => path.endsWith("rose.jpg"))).toHaveLength(1);
  await server.stop(true);
});

/** An export of a current WordPress. @param items without `<item>` around them */
function wxr(...items: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/">
<channel><title>Garden</title><wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>https://garden.example</wp:base_blog_url>
${items.map((item) => `<item>${item}</item>`).join("\n")}
</channel></rss>`;
}
const upload = (id: number, path: string) =>
  `<wp:post_id>${id}</wp:post_id><wp:post_type>attachment</wp:post_type><wp:attachment_url>https://garden.example/wp-content/uploads/${path}</wp:attachment_url>`;
const wxrItem = (id: number, status: string, text: string, more = "") =>
  `<title>Post ${id}</title><link>https://garden.example/post-${id}/</link><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>${status}</wp:status><content:encoded><![CDATA[${text}]]></content:encoded>${more}`;

test("uploads without a post are counted and not downloaded", async () => {
  await using at = await startTransfer();
  const names = [
    "shown.jpg",
    "small.jpg",
    "linked.pdf",
    "large-scaled.jpg",
    "top.jpg",
    "lost.jpg",
    "gone.png",
  ];
  const shown = `<img src="http://garden.example/wp-content/uploads/shown.jpg"> <img src="https://garden.example/wp-content/uploads/small-300x200.jpg">
    <a href="https://garden.example/wp-content/uploads/linked.pdf">PDF</a> <a href="https://garden.example/wp-content/uploads/large.jpg">Large</a>`;
  const top =
    "<wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value>5</wp:meta_value></wp:postmeta>";
  const items = [...names.map((name, index) => upload(index + 1, name)), wxrItem(20, "publish", shown, top)];
  const folder = await createFolder(null, {
    "garden.xml": wxr(...items),
    "wp-content/uploads/shown.jpg": await jpeg(),
    "wp-content/uploads/lost.jpg": await jpeg(),
  });
  const says = "  2 × uploads that no post or page uses\n";
  for (const option of ["--dry-run", "--no-fetch"]) {
    const { stdout } = await at.importFrom("wordpress", folder, "--no-fetch", option);
    expect([option, stdout]).toEqual([option, expect.stringContaining(says)]);
  }
  const { attachments } = await at.api("/attachments");
  expect(attachments.map(({ filename }: { filename: string }) => filename)).toEqual(["shown.jpg"]);
});

test("a scheduled post keeps its time of the last change", async () => {
  await using at = await startTransfer();
  const times =
    "<wp:post_date_gmt>2037-05-04 10:30:00</wp:post_date_gmt><wp:post_modified_gmt>2014-01-02 03:04:05</wp:post_modified_gmt>";
  const folder = await createFolder(null, { "garden.xml": wxr(wxrItem(20, "future", "Soon", times)) });
  await at.importFrom("wordpress", folder);
  expect((await at.posts())["post-20"]).toMatchObject({
    published_at: "2037-05-04T10:30:00.000Z",
    created_at: "2014-01-02T03:04:05.000Z",
    updated_at: "2014-01-02T03:04:05.000Z",
  });
});

const ENCODED: Record<string, (text: string) => Uint8Array> = {
  "ISO-8859-1": (text) => Buffer.from(text, "latin1"),
  "UTF-8": (text) => Buffer.from(`\uFEFF${text.replaceAll("\n", "\r\n")}`),
  "UTF-16": (text) => Buffer.from(`\uFEFF${text}`, "utf16le"),
  "utf-16": (text) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16(),
  "utf-16le": (text) => Buffer.from(text, "utf16le"),
  "utf-16be": (text) => Buffer.from(text, "utf16le").swap16(),
};

test.each(Object.keys(ENCODED))("the encoding of an export in %s is detected", async (encoding) => {
  await using at = await startTransfer();
  const text = wxr(wxrItem(1, "publish", "Grün\n\nist schön")).replace("UTF-8", encoding);
  const folder = await createFolder(null, { "garden.xml": ENCODED[encoding]?.(text) ?? "" });
  expect((await at.importFrom("auto", folder)).stdout).toStartWith("Imported 1 post,");
  expect((await at.posts())["post-1"].content.html).toBe("<p>Grün</p>\n<p>ist schön</p>");
});

test.each([
  ["wordpress", "nothing-there", /nothing-there does not exist\.$/],
  ["wordpress", ".", /is not in the format wordpress\.$/],
  ["auto", ".", /has an unknown format. Known formats: /],
])("platen import %s %s: exit code 1 and one sentence", async (format, path, says) => {
  await using at = await startTransfer();
  const { code, stderr, stdout } = await at.importFrom(
    format,
    join(await createFolder(null, { "a.txt": "" }), path),
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr.trim()).toMatch(says);
});

test("reusable blocks, footnotes, video captions and plain URLs are imported; losses are reported", async () => {
  await using at = await startTransfer();
  const item = (id: number, type: string, content: string, more = "") =>
    `<item><title>Item ${id}</title><link>https://old.example/item-${id}/</link><content:encoded><![CDATA[${content}]]></content:encoded>
<wp:post_id>${id}</wp:post_id><wp:post_type>${type}</wp:post_type><wp:status>publish</wp:status>
<wp:post_date_gmt>2020-01-01 10:00:00</wp:post_date_gmt>${more}</item>`;
  const blocks = `<!-- wp:block {"ref":90} /-->
<p>Said<sup data-fn="a-b" class="fn"><a href="#a-b" id="a-b-link">1</a></sup></p>
<!-- wp:embed --><figure class="wp-block-embed"><div class="wp-block-embed__wrapper">
https://vimeo.com/76979871
</div><figcaption>About it</figcaption></figure><!-- /wp:embed -->
<!-- wp:footnotes /-->`;
  const notes = `<wp:postmeta><wp:meta_key>footnotes</wp:meta_key><wp:meta_value><![CDATA[[{"content":"The note.","id":"a-b"}]]]></wp:meta_value></wp:postmeta>`;
  const upload = `<wp:attachment_url>https://old.example/wp-content/uploads/big-scaled.jpg</wp:attachment_url>`;
  const classic = `See:\n\nhttps://social.example/status/1\n\n<img src="https://old.example/wp-content/uploads/big-300x200.jpg" alt="Big">`;
  const authors = ["1", "2"].map((id) => `<wp:author><wp:author_id>${id}</wp:author_id></wp:author>`);
  const wxr = `<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version>${authors.join("")}
${item(1, "post", blocks, `${notes}<wp:is_sticky>1</wp:is_sticky><excerpt:encoded>Short</excerpt:encoded>`)}
${item(2, "post", classic)}${item(90, "wp_block", "<p>Everywhere.</p>")}${item(91, "attachment", "", upload)}</channel></rss>`;
  const folder = await createFolder(null, { "a.xml": wxr, "uploads/big-scaled.jpg": await jpeg() });
  const { stdout } = await at.importFrom(
    "wordpress",
    folder,
    "--no-fetch",
    "--media",
    join(folder, "uploads"),
  );
  expect(stdout).toStartWith("Imported 2 posts, 0 pages, 0 komments, 1 file.");
  expect(stdout).toContain("2 × author names");
  expect(stdout).not.toContain("wp_block");
  const { "item-1": first, "item-2": second } = await at.posts();
  expect(first.content.html).toStartWith("<p>Everywhere.</p>");
  expect(first.content.html).toContain('Said<sup><a id="fnref-a-b" href="#fn-a-b">1</a></sup>');
  expect(first.content.html).toContain('<ol><li id="fn-a-b">The note. <a href="#fnref-a-b">');
  expect(first.content.html).toMatch(
    /player\.vimeo\.com\/video\/76979871"[^>]*><\/iframe>\s*<p>About it<\/p>/,
  );
  expect(second.content.html).toContain('<a href="https://social.example/status/1">');
  expect(second.content.html).toMatch(/big-scaled\.jpg"[^>]* alt="Big"/);
});
