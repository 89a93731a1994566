import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { changeAccount } from "../../src/accounts/accounts";
import { configureBlog } from "../../src/blogs/blog-settings";
import { blogOfRow } from "../../src/blogs/blogs";
import { sgidOf } from "../../src/media/attachment-element";
import { exportBlog } from "../../src/transfer/export/export-blog";
import { wordpressExport } from "../../src/transfer/export/wordpress-export";
import { picture, upload } from "../media/samples";
import { FILM } from "../media/store/with-store";
import { DAY, START, startPlaten, type TestPlaten } from "../support/platen";
import { temporaryFolder } from "../support/temporary";

/** In this time zone, noon in UTC is nine in the evening. */
const ZONE = "Asia/Tokyo";
const [NOW, NOW_THERE] = ["2026-03-01 12:00:00", "2026-03-01 21:00:00"];
const NONE = "0000-00-00 00:00:00";

async function startGarden() {
  const at = startPlaten();
  changeAccount(at.platen, at.account, { name: "Ada Løve" });
  configureBlog(at.platen, at.blog, {
    timeZone: ZONE,
    language: "de",
    description: "Tea & all",
    title: "<Garden>",
  });
  const post = async (fields: object) => {
    const { body } = await at.api("POST", "/posts", { post: { content: "<p>Text</p>", ...fields } });
    return body.post as { id: number; slug: string };
  };
  return { ...at, post };
}

/** The export as WordPress reads it. */
async function exportGarden({ platen, blog }: TestPlaten) {
  const place = join(temporaryFolder("export"), "garden");
  const report = await exportBlog(
    platen,
    blogOfRow(platen, { blogId: blog.id }),
    wordpressExport,
    place,
    () => {},
  );
  const [name = "", ...others] = readdirSync(place).filter((one) => one.endsWith(".xml"));
  expect([name, others]).toEqual([`${blog.slug}.wordpress.001.xml`, []]);
  const channel = childrenOf(
    parseXml(readFileSync(join(place, name), "utf8")).root as XmlElement,
  )[0] as XmlElement;
  const items = childrenOf(channel).filter((one) => one.name === "item");
  const head = childrenOf(channel).filter((one) => one.name !== "item");
  const fields = items.map(fieldsOf);
  return {
    place,
    report,
    head,
    fields,
    titled: (title: string) => fields.find((one) => one.title === title),
  };
}

/** Name → text; elements that may repeat are lists, and those with children are objects. */
function fieldsOf(element: XmlElement): Record<string, unknown> {
  const lists: Record<string, unknown[]> = { "wp:postmeta": [], category: [], "wp:comment": [] };
  const fields: Record<string, unknown> = {};
  for (const child of childrenOf(element)) {
    const { name, attributes, text } = child;
    const {
      "wp:meta_key": key,
      "wp:meta_value": value,
      ...parts
    } = Object.fromEntries(childrenOf(child).map((part) => [part.name, part.text]));
    if (name === "wp:postmeta") lists[name]?.push([key, value]);
    else if (name === "category") lists[name]?.push([attributes.domain, attributes.nicename, text]);
    else if (name === "wp:comment") lists[name]?.push(parts);
    else if (name === "guid") fields[name] = [text, attributes.isPermaLink];
    else fields[name] = text;
  }
  for (const [name, list] of Object.entries(lists)) if (list.length > 0) fields[name] = list;
  return fields;
}

function childrenOf(element: XmlElement): XmlElement[] {
  return element.children.filter((child) => child instanceof XmlElement);
}

/** Fields of every item, unless it says otherwise. */
const COMMON = {
  "dc:creator": "ada-love",
  description: "",
  "excerpt:encoded": "",
  "wp:post_modified": NOW_THERE,
  "wp:post_modified_gmt": NOW,
  "wp:comment_status": "open",
  "wp:ping_status": "closed",
  "wp:post_parent": "0",
  "wp:menu_order": "0",
  "wp:post_password": "",
  "wp:is_sticky": "0",
};
const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`;

test("titles, topics and alt texts are escaped, because WordPress reads them as HTML", async () => {
  const at = await startGarden();
  const cat = await upload(at.platen, await picture.jpeg(90, 60), "cat.jpg", {});
  const [words, written] = ["1 < 2 &amp; <b>", "1 &lt; 2 &amp;amp; &lt;b&gt;"];
  const content = `<action-text-attachment sgid="${sgidOf(at.platen, cat)}"></action-text-attachment>`;
  const alt_text = { "cat.jpg": words };
  await at.post({ title: words, content, alt_text, category: words, tags: [words], status: "published" });
  const { titled, head } = await exportGarden(at);
  const topics = titled(written)?.category as string[][];
  expect(topics.map(([domain, , text]) => [domain, text])).toEqual([
    ["category", written],
    ["post_tag", written],
  ]);
  expect(titled("cat.jpg")?.["wp:postmeta"]).toContainEqual(["_wp_attachment_image_alt", written]);
  for (const name of ["wp:cat_name", "wp:tag_name"])
    expect(head.flatMap(childrenOf).find((one) => one.name === name)?.text).toBe(written);
});

test("each field of a post and its pictures in WordPress has the value it has here", async () => {
  const at = await startGarden();
  const cat = await upload(at.platen, await picture.jpeg(90, 60), "cat.jpg", { caption: 'A "cat"' });
  const film = await upload(at.platen, FILM, "film.webm", { poster: await picture.jpeg(30, 20) });
  await upload(at.platen, await picture.jpeg(30, 20), "unused.tar.jpg", { caption: "Unused" });
  const figure = (blob: typeof cat, caption = "") =>
    `<action-text-attachment sgid="${sgidOf(at.platen, blob)}" caption="${caption}"></action-text-attachment>`;
  await at.post({ title: "First", tags: ["C"], status: "published" });
  const tea = await at.post({
    title: "Tea",
    content: `<h2>Two</h2><p dir="rtl">Trois</p>${figure(cat, "Below &lt;it&gt;")}<blockquote>${figure(film)}</blockquote>`,
    status: "published",
    published_at: "2019-03-01T23:30:00Z",
    category: "Kitchen, home",
    tags: ["C++"],
    alt_text: { "cat.jpg": 'Asleep, "again"' },
    preview_image: "cat.jpg",
    meta: { komments_disabled: true },
  });
  await at.post({ title: "Last", content: figure(cat), status: "published" });
  at.pass(DAY);
  await at.api("PATCH", `/posts/${tea.id}`, { post: { slug: "green-tea" } });
  at.platen.db.run(`INSERT INTO old_slugs VALUES (1, '2013/05/tea', ${tea.id}), (1, '?p=7', ${tea.id})`);
  const { titled, fields, head, report } = await exportGarden(at);
  const id = String(titled("Tea")?.["wp:post_id"]);
  const [catId, filmId] = ["cat.jpg", "film.webm"].map((name) => String(titled(name)?.["wp:post_id"]));
  const media = `http://blog.test/media/${cat.folder}/cat.jpg`;
  const filmAt = `http://blog.test/media/${film.folder}`;
  expect(titled("Tea")).toEqual({
    ...COMMON,
    title: "Tea",
    link: "http://blog.test/green-tea",
    pubDate: "Fri, 01 Mar 2019 23:30:00 GMT",
    guid: [expect.stringMatching(/^(?:urn|tag):/), "false"],
    "content:encoded": [
      '<!-- wp:heading {"level":2} -->\n<h2 class="wp-block-heading">Two</h2>\n<!-- /wp:heading -->',
      '<!-- wp:html -->\n<p dir="rtl">Trois</p>\n<!-- /wp:html -->',
      `<!-- wp:image {"id":${catId},"sizeSlug":"full"} -->\n<figure class="wp-block-image size-full"><img src="${media}" alt="Asleep, &quot;again&quot;" class="wp-image-${catId}"/><figcaption class="wp-element-caption">Below &lt;it&gt;</figcaption></figure>\n<!-- /wp:image -->`,
      `<!-- wp:html -->\n<blockquote><figure class="wp-block-video"><video controls poster="${filmAt}/poster.webp" src="${filmAt}/film.webm"></video></figure></blockquote>\n<!-- /wp:html -->`,
    ].join("\n\n"),
    "wp:post_id": id,
    "wp:post_date": "2019-03-02 08:30:00",
    "wp:post_date_gmt": "2019-03-01 23:30:00",
    "wp:post_modified": "2026-03-02 21:00:00",
    "wp:post_modified_gmt": "2026-03-02 12:00:00",
    "wp:comment_status": "closed",
    "wp:post_name": "green-tea",
    "wp:status": "publish",
    "wp:post_type": "post",
    category: [
      ["category", "kitchen-home", "Kitchen, home"],
      ["post_tag", "c-2", "C++"],
    ],
    "wp:postmeta": [
      ["_thumbnail_id", catId],
      ["_wp_old_slug", "tea"],
    ],
  });
  expect(report.lost).toMatchObject({ "old URLs with paths, which WordPress cannot redirect": 2 });
  const address = (filename: string) => fields.find(({ title }) => title === filename)?.link;
  const attachment = (filename: string, slug: string, parent: string, alt: string) => ({
    ...COMMON,
    title: filename,
    link: address(filename),
    pubDate: "Sun, 01 Mar 2026 12:00:00 GMT",
    guid: [address(filename), "false"],
    "content:encoded": "",
    "wp:post_id": expect.stringMatching(/^\d+$/),
    "wp:post_date": NOW_THERE,
    "wp:post_date_gmt": NOW,
    "wp:comment_status": "closed",
    "wp:post_name": slug,
    "wp:status": "inherit",
    "wp:post_parent": parent,
    "wp:post_type": "attachment",
    "wp:attachment_url": address(filename),
    "wp:postmeta": [["_wp_attachment_image_alt", alt]],
  });
  expect(fields.map(({ title }) => title)).toEqual([
    "First",
    "cat.jpg",
    "film.webm",
    "Tea",
    "Last",
    "unused.tar.jpg",
  ]);
  // No preview picture was chosen.
  expect(titled("Last")?.["wp:postmeta"]).toBeUndefined();
  expect([address("cat.jpg"), address("film.webm")]).toEqual([media, `${filmAt}/film.webm`]);
  expect(titled("cat.jpg")).toEqual(attachment("cat.jpg", "cat", id, 'Asleep, "again"'));
  expect(titled("film.webm")).toEqual(attachment("film.webm", "film", id, ""));
  expect(titled("unused.tar.jpg")).toEqual(attachment("unused.tar.jpg", "unused.tar", "0", "Unused"));
  expect(new Set(fields.map((one) => one["wp:post_id"])).size).toBe(6);
  expect(filmId).toMatch(/^\d+$/);
  // Elements before all items, in order.
  const parts = head.map((one) => [one.name, childrenOf(one).map(({ name, text }) => [name, text])] as const);
  const elements = head.filter((one) => childrenOf(one).length === 0).map(({ name, text }) => [name, text]);
  expect(elements.slice(0, -1)).toEqual([
    ["title", "<Garden>"],
    ["link", "http://blog.test/"],
    ["description", "Tea & all"],
    ["pubDate", "Mon, 02 Mar 2026 12:00:00 GMT"],
    ["language", "de"],
    ["wp:wxr_version", "1.2"],
    ["wp:base_site_url", "http://blog.test/"],
    ["wp:base_blog_url", "http://blog.test/"],
  ]);
  const terms = parts.filter(([, children]) => children.length > 0);
  const idOf = (number: number) => String(terms[number]?.[1].find(([name]) => name === "wp:term_id")?.[1]);
  expect(terms).toEqual([
    [
      "wp:author",
      [
        ["wp:author_id", "1"],
        ["wp:author_login", "ada-love"],
        ["wp:author_email", ""],
        ["wp:author_display_name", "Ada Løve"],
      ],
    ],
    [
      "wp:category",
      [
        ["wp:term_id", idOf(1)],
        ["wp:category_nicename", "kitchen-home"],
        ["wp:category_parent", ""],
        ["wp:cat_name", "Kitchen, home"],
      ],
    ],
    [
      "wp:tag",
      [
        ["wp:term_id", idOf(2)],
        ["wp:tag_slug", "c"],
        ["wp:tag_name", "C"],
      ],
    ],
    [
      "wp:tag",
      [
        ["wp:term_id", idOf(3)],
        ["wp:tag_slug", "c-2"],
        ["wp:tag_name", "C++"],
      ],
    ],
  ]);
  expect(new Set([1, 2, 3].map(idOf)).size).toBe(3);
});

test("drafts, scheduled, archived and hidden posts, and pages, are not more public in WordPress", async () => {
  const at = await startGarden();
  const tomorrow = new Date(START.getTime() + DAY).toISOString();
  await at.post({ title: "Draft", status: "draft", published_at: tomorrow });
  await at.post({ title: "Scheduled", status: "published", published_at: tomorrow });
  await at.post({ title: "Archived", status: "archived" });
  await at.post({ title: "Hidden", status: "published", meta: { hidden: true } });
  await at.post({ title: "Page", status: "published", type: "page" });
  const { titled, report } = await exportGarden(at);
  const statuses = ["Draft", "Scheduled", "Archived", "Hidden", "Page"].map((title) => {
    const fields = titled(title) ?? {};
    const {
      "wp:status": status,
      "wp:post_type": type,
      "wp:post_date": date,
      "wp:post_date_gmt": utc,
    } = fields;
    return [title, status, type, date, utc];
  });
  expect(statuses).toEqual([
    ["Draft", "draft", "post", NOW_THERE, NONE],
    ["Scheduled", "future", "post", "2026-03-02 21:00:00", "2026-03-02 12:00:00"],
    ["Archived", "private", "post", NOW_THERE, NOW],
    ["Hidden", "private", "post", NOW_THERE, NOW],
    ["Page", "publish", "page", NOW_THERE, NOW],
  ]);
  expect(report).toMatchObject({ posts: 4, pages: 1, files: 0 });
});

test("komments become comments with state, time and the owner's replies", async () => {
  const at = await startGarden();
  const { id } = await at.post({ title: "Tea", status: "published" });
  const [first, later] = [START.getTime() - DAY, START.getTime()];
  const columns =
    "(blog_id, post_id, status, name, address, source, html, created_at, edit_hash, answer, answer_html, answered_at)";
  for (const row of [
    ["shown", "Jun", "jun@example.com", "One", null, null, null],
    ["waiting", "Bo", "https://bo@example.com/", "Two", null, null, null],
    ["shown", "Kim", "", "Three", "Yes", "<p>Yes</p>", later],
    ["refused", "Eve", "eve.example", "Four", "No", "<p>No</p>", later],
  ])
    at.platen.db.$client.run(`INSERT INTO komments ${columns} VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
      ...[
        id,
        row[0] as string,
        row[1] as string,
        row[2] as string,
        row[3] as string,
        `<p>${row[3]}</p>`,
        first,
      ],
      ...[`hash ${row[1]}`, row[4] as string, row[5] as string, row[6] as number],
    ]);
  const { titled, report } = await exportGarden(at);
  const comments = (titled("Tea")?.["wp:comment"] ?? []) as Record<string, string>[];
  const FIRST = { "wp:comment_date": "2026-02-28 21:00:00", "wp:comment_date_gmt": "2026-02-28 12:00:00" };
  const LATER = { "wp:comment_date": NOW_THERE, "wp:comment_date_gmt": NOW };
  const comment = (name: string, mail: string, url: string, text: string, approved: string, own: object) => ({
    ...{ "wp:comment_id": expect.stringMatching(/^\d+$/), "wp:comment_author": name },
    ...{ "wp:comment_author_email": mail, "wp:comment_author_url": url, "wp:comment_author_IP": "" },
    ...{
      "wp:comment_content": `<p>${text}</p>`,
      "wp:comment_approved": approved,
      "wp:comment_type": "comment",
    },
    ...{ "wp:comment_parent": "0", "wp:comment_user_id": "0", ...own },
  });
  const idOf = (number: number) => comments[number]?.["wp:comment_id"];
  const answer = (to: number) => ({ ...LATER, "wp:comment_parent": idOf(to), "wp:comment_user_id": "1" });
  expect(comments).toEqual([
    comment("Jun", "jun@example.com", "", "One", "1", FIRST),
    comment("Bo", "", "https://bo@example.com/", "Two", "0", FIRST),
    comment("Kim", "", "", "Three", "1", FIRST),
    comment("Ada Løve", "", "", "Yes", "1", answer(2)),
    comment("Eve", "", "eve.example", "Four", "trash", FIRST),
    comment("Ada Løve", "", "", "No", "trash", answer(4)),
  ]);
  expect(new Set(comments.map((one) => one["wp:comment_id"])).size).toBe(6);
  expect(report.komments).toBe(4);
});

test("data without a place in WordPress is counted, and a post that cannot be written is skipped", async () => {
  const at = await startGarden();
  changeAccount(at.platen, at.account, { name: "…" });
  const navigation = [{ label: "Elsewhere", address: "https://example.org/" }];
  configureBlog(at.platen, at.blog, { navigation });
  const meta = {
    ...{ hide_in_rss: true, skip_archive: true, no_index_no_follow: true },
    ...{ show_contact_form: true, is_shared: true },
  };
  await at.post({ title: "Tea", status: "published", meta });
  const like = new URLSearchParams({ h: "entry", "like-of": "https://example.org/a", content: "So true" });
  const headers = { authorization: `Bearer ${at.key}` };
  expect((await at.fetch("/micropub", { method: "POST", headers, body: like })).status).toBe(201);
  const { id } = await at.post({ title: "Deep", status: "published" });
  const film = await upload(at.platen, FILM, "film.webm", { poster: await picture.jpeg(30, 20) });
  at.platen.db.run(`UPDATE contents SET html = '${"<div>".repeat(20_000)}' WHERE post_id = ${id}`);
  const { report, titled, place } = await exportGarden(at);
  expect(report.lost).toEqual({
    "posts hidden from feeds": 1,
    "posts hidden from the archive": 1,
    "posts with noindex": 1,
    "contact forms": 1,
    "share links": 1,
    "navigation links": 1,
    "posts with microformats": 1,
    "Markdown posts, which become HTML": 1,
  });
  expect(report.errors).toEqual(["Deep: The HTML is nested too deeply."]);
  expect([report.posts, titled("Tea")?.["content:encoded"]]).toEqual([2, paragraph("Text")]);
  expect(titled("Tea")?.["dc:creator"]).toBe("author");
  expect(readdirSync(join(place, "wp-content/uploads", film.folder)).toSorted()).toEqual([
    "film.webm",
    "poster.webp",
  ]);
});
