import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { openWithoutPlaten } from "../support/other-program";
import { temporaryFolder } from "../support/temporary";
import { comparable } from "./comparable";
import { startFullGarden } from "./full-garden";
import { startTransfer } from "./start-transfer";

const exportPath = (name: string) => join(temporaryFolder("export"), name);

/** WordPress stores whole seconds. */
const inSeconds = (time: string) => `${time.slice(0, 19)}.000Z`;
/** Ignores blank lines between blocks. */
const withoutBlankLines = (html: string) => html.replace(/\s*\n\s*/g, "");

/** The garden with features of WordPress: a chosen preview picture, an unlisted post, a time zone. */
async function startGardenForWordpress() {
  const from = await startFullGarden();
  await from.platen("blog", "set", "garden", "--time-zone", "Asia/Tokyo");
  const { "green-tea": tea, "in-html": inHtml } = await from.posts();
  const [leaf] =
    /<action-text-attachment[^>]*leaf[^>]*><\/action-text-attachment>/.exec(inHtml.content.source) ?? [];
  const content = `${tea.content.source}\n\n- A list\n  in two lines\n\n> ${leaf}\n`;
  const post = { content, content_type: "markdown", preview_image: "leaf.png" };
  await from.api(`/posts/${tea.id}`, "PATCH", { post });
  const signs = "1 < 2 &amp; <b>";
  const quiet = {
    title: `Quiet ${signs}`,
    slug: "quiet",
    category: signs,
    tags: [signs],
    status: "published",
  };
  await from.api("/posts", "POST", { post: { ...quiet, meta: { hidden: true } } });
  return from;
}

function kommentsIn(data: string) {
  const db = new Database(join(data, "platen.db"), { readonly: true });
  const columns = "status, name, address, source, html, created_at, answer, answer_html, answered_at";
  const rows = db.query<Record<string, unknown>, []>(`SELECT ${columns} FROM komments ORDER BY id`).all();
  db.close();
  return rows;
}

test("a WordPress export can be imported again with everything that WordPress knows", async () => {
  await using from = await startGardenForWordpress();
  await using to = await startTransfer({ zone: "Asia/Tokyo" });
  const place = exportPath("garden.zip");
  const ended = await from.platen("export", "wordpress", place, "--blog", "garden");
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout).toStartWith("Wrote 5 posts, 1 page, 2 komments, 3 files.\n");
  const { stdout } = await to.importFrom("wordpress", place, "--no-fetch");
  expect(stdout).toStartWith("Imported 5 posts, 1 page, 2 komments, 3 files.");
  expect(stdout).not.toContain("Not imported");

  const [before, after] = [await from.posts(), await to.posts()];
  expect(Object.keys(after).toSorted()).toEqual(Object.keys(before).toSorted());
  for (const [slug, was] of Object.entries(before)) {
    const is = after[slug];
    for (const field of ["title", "type", "category", "tags", "preview_image", "attachments"])
      expect([slug, field, comparable(is[field])]).toEqual([slug, field, comparable(was[field])]);
    expect([slug, is.status]).toEqual([slug, slug === "quiet" ? "archived" : was.status]);
    if (was.status === "published") expect(is.published_at).toBe(inSeconds(was.published_at));
    expect(is.meta.komments_disabled).toBe(was.meta.komments_disabled);
    const [html, wasHtml] = [is, was].map(({ content }) => comparable(withoutBlankLines(content.html)));
    expect([slug, html]).toEqual([slug, wasHtml]);
  }
  expect(after["green-tea"].updated_at).toBe(inSeconds(before["green-tea"].updated_at));
  expect((await to.page("/tea-green-black-1")).headers.get("location")).toBe(`${to.url}/green-tea`);
  const asHtml = kommentsIn(from.data).map((komment) => ({
    ...komment,
    source: komment.html,
    answer: komment.answer_html,
  }));
  expect(asHtml).toHaveLength(2);
  expect(kommentsIn(to.data)).toEqual(asHtml);
});

test("each file is well-formed XML with public URLs of uploads, and contains no secret", async () => {
  await using from = await startGardenForWordpress();
  const hostile = "a ]]> b <b> & \u0001 \uFFFE ]]]]><![CDATA[>";
  await from.platen("blog", "set", "garden", "--description", "a ]]> b ]]]]><![CDATA[>");
  await from.api("/posts", "POST", {
    post: { title: hostile, content: "<p>]]&gt;</p>", status: "published" },
  });
  const place = exportPath("garden");
  const { stdout } = await from.platen("export", "wordpress", place, "--blog", "garden");
  for (const what of [
    "2 × Markdown posts, which become HTML",
    "1 × hidden posts, which become private",
    "2 × previous versions",
    "1 × contact form messages",
    "1 × posts in the trash",
    "1 × share links",
  ])
    expect(stdout).toContain(`  ${what}\n`);
  const text = readFileSync(join(place, "garden.wordpress.001.xml"), "utf8");
  const channel = childrenOf(parseXml(text).root as XmlElement).find(({ name }) => name === "channel");
  const items = childrenOf(channel as XmlElement).filter(({ name }) => name === "item");
  const field = (item: XmlElement, name: string) => childrenOf(item).find((one) => one.name === name)?.text;
  const titles = items.map((item) => field(item, "title"));
  expect(titles).toContain("a ]]&gt; b &lt;b&gt; &amp;  ]]]]&gt;&lt;![CDATA[&gt;");
  expect(field(channel as XmlElement, "description")).toBe("a ]]> b ]]]]><![CDATA[>");
  const ids = items.map((item) => field(item, "wp:post_id"));
  expect(new Set(ids).size).toBe(items.length);
  const cat = items.find((item) => field(item, "title") === "cat (1).jpg") as XmlElement;
  const address = field(cat, "wp:attachment_url") as string;
  const sent = await fetch(address);
  expect(sent.headers.get("content-type")).toBe("image/jpeg");
  const secondFile = readFileSync(
    join(place, "wp-content/uploads", new URL(address).pathname.split("/")[2] as string, "cat (1).jpg"),
  );
  expect(Buffer.from(await sent.arrayBuffer()).equals(secondFile)).toBe(true);
  const tea = items.find((item) => field(item, "wp:post_name") === "green-tea") as XmlElement;
  expect(field(tea, "content:encoded")).toContain(
    `<img src="${address}" alt="A cat [asleep]" class="wp-image-${field(cat, "wp:post_id")}"`,
  );
  for (const block of [
    '<!-- wp:heading {"level":1} -->\n<h1 class="wp-block-heading">A heading first</h1>\n<!-- /wp:heading -->',
    "<!-- wp:paragraph -->\n<p>More.</p>\n<!-- /wp:paragraph -->",
    `<!-- wp:image {"id":${field(cat, "wp:post_id")},"sizeSlug":"full"} -->\n<figure class="wp-block-image size-full">`,
    "<!-- wp:html -->\n<ul>",
  ])
    expect(field(tea, "content:encoded")).toContain(block);
  expect(field(tea, "wp:post_date")).toBe("2019-03-02 16:00:00");
  expect(field(tea, "wp:post_date_gmt")).toBe("2019-03-02 07:00:00");

  const secrets = [
    "SECRET",
    "sgid",
    "platen_",
    "ada@example.com",
    (await from.posts())["green-tea"].meta.share_id,
  ];
  for (const entry of readdirSync(place, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  ))
    for (const secret of secrets) {
      const holds = readFileSync(join(entry.parentPath, entry.name), "latin1").includes(secret);
      expect([entry.name, secret, holds]).toEqual([entry.name, secret, false]);
    }
});

test("text that looks like shortcodes or block comments is restored as text", async () => {
  await using from = await startTransfer();
  await using to = await startTransfer();
  const content =
    '<p>Write <code>[gallery ids="1"]</code> or [caption]that[/caption], <a href="/x" title="&lt;!-- /wp:paragraph --&gt; [embed]">see</a>.</p><p>And [1].</p>';
  await from.api("/posts", "POST", { post: { title: "Shortcodes", content, status: "published" } });
  const place = exportPath("garden");
  expect(await from.platen("export", "wordpress", place, "--blog", "garden")).toMatchObject({ code: 0 });
  const text = readFileSync(join(place, "garden.wordpress.001.xml"), "utf8");
  expect(text.match(/<!-- \/?wp:\w+ -->/g)).toHaveLength(4);
  await to.importFrom("wordpress", place);
  const [was, is] = [await from.posts(), await to.posts()];
  expect(withoutBlankLines(is.shortcodes.content.html)).toBe(was.shortcodes.content.html);
});

test("an export too large for PHP is split into several files that can all be imported", async () => {
  await using from = await startTransfer();
  const count = 20;
  for (let number = 0; number < count; number++)
    await from.api("/posts", "POST", { post: { title: `${number}`, tags: ["Long"], status: "published" } });
  const db = openWithoutPlaten(from.data);
  db.run(`UPDATE contents SET html = '<p>' || hex(zeroblob(490000)) || '</p>'`);
  db.close();
  const place = exportPath("garden");
  await from.platen("export", "wordpress", place, "--blog", "garden");
  const names = readdirSync(place).toSorted();
  expect(names).toEqual(["garden.wordpress.001.xml", "garden.wordpress.002.xml"]);
  const texts = names.map((name) => readFileSync(join(place, name), "utf8"));
  for (const text of texts) expect(() => parseXml(text)).not.toThrow();
  const items = texts.map((text) => text.split("<item>").length - 1);
  expect(items.reduce((sum, one) => sum + one)).toBe(count);
  expect(texts.map((text) => text.includes("<wp:tag>"))).toEqual([true, false]);
  await using to = await startTransfer();
  expect((await to.importFrom("wordpress", place, "--dry-run")).stdout).toStartWith(
    `Would import ${count} posts, 0 pages`,
  );
});

function childrenOf(element: XmlElement): XmlElement[] {
  return element.children.filter((child) => child instanceof XmlElement);
}
