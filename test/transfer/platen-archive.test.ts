import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstBox } from "../media/samples";
import { openWithoutPlaten } from "../support/other-program";
import { picture, uploadForm } from "../support/pictures";
import { temporaryFolder } from "../support/temporary";
import { comparable } from "./comparable";
import { startFullGarden } from "./full-garden";
import { createFolder, startTransfer } from "./start-transfer";

const exportPath = (name: string) => join(temporaryFolder("archive"), name);

test("an archive imported into another folder restores every field; a second import adds nothing", async () => {
  await using from = await startFullGarden();
  await setEverything(from);
  await addTheRest(from);
  const place = exportPath("garden.platen");
  const exported = await from.platen("export", "platen", place, "--blog", "garden");
  expect(exported.stderr).toBe("");
  expect(exported.stdout).toBe("Wrote 6 posts, 1 page, 2 komments, 1 message, 2 revisions, 4 files.\n");

  await using to = await startTransfer();
  const look = await to.importFrom("platen", place, "--dry-run");
  expect(look.stdout).toStartWith(
    "Would import 6 posts, 1 page, 2 komments, 4 files, 1 message, 2 revisions.",
  );
  const { stdout } = await to.importFrom("platen", place);
  expect(stdout).toStartWith("Imported 6 posts, 1 page, 2 komments, 4 files, 1 message, 2 revisions.");
  expect((await to.importFrom("auto", place)).stdout).toStartWith(
    "Imported 0 posts, 0 pages, 0 komments, 0 files.",
  );

  expect((await to.importFrom("platen", place, "--dry-run")).stdout).toStartWith(
    "Would import 0 posts, 0 pages, 0 komments, 0 files.",
  );

  const [before, after] = [await from.posts(), await to.posts()];
  expect(Object.keys(after).toSorted()).toEqual(Object.keys(before).toSorted());
  for (const slug of Object.keys(before)) expect(comparable(after[slug])).toEqual(comparable(before[slug]));
  for (const path of ["/attachments?limit=100", "/categories"])
    expect(comparable(await to.api(path))).toEqual(comparable(await from.api(path)));
  expect(await settingsOf(to)).toEqual(await settingsOf(from));
  for (const table of Object.keys(ROWS) as (keyof typeof ROWS)[])
    expect(rowsOf(to.data, table)).toEqual(rowsOf(from.data, table));
  expect((await to.page("/tea-green-black-1")).headers.get("location")).toBe(`${to.url}/green-tea`);
});

test("posts with the same time stay in order of creation, whatever their rendering time", async () => {
  await using from = await startFullGarden();
  const { "in-html": withPicture } = await from.posts();
  const slugs = Array.from({ length: 12 }, (_, number) => `post-${number}`);
  for (const [number, slug] of slugs.entries()) {
    // A post with a picture is rendered twice.
    const content = number % 4 === 0 ? withPicture.content.source : "<p>Short</p>";
    const at = { published_at: "2020-01-01T00:00:00Z", status: "published" };
    await from.api("/posts", "POST", { post: { title: slug, slug, content, ...at } });
  }
  const place = exportPath("garden.zip");
  await from.platen("export", "platen", place, "--blog", "garden");
  await using to = await startTransfer();
  await to.importFrom("platen", place);
  const { posts } = await to.api(
    "/posts?limit=100&sort=published_at&from_date=2020-01-01&to_date=2020-01-01",
  );
  expect(posts.map(({ slug }: { slug: string }) => slug)).toEqual(slugs);
});

test("an archive contains no secret, and a damaged line loses only that line", async () => {
  await using from = await startFullGarden();
  const place = exportPath("garden.zip");
  await from.platen("export", "platen", place, "--blog", "garden");
  const unpacked = exportPath("unpacked");
  Bun.spawnSync(["python3", "-m", "zipfile", "-e", place, unpacked]);
  const share = (await from.posts())["green-tea"].meta.share_id;
  expect(share).toMatch(/^[\w-]{10,}$/);
  const lines = ["posts", "komments", "revisions", "files", "messages", "tags", "categories"];
  for (const name of lines)
    for (const secret of ["SECRET", "platen_", share])
      expect([name, readFileSync(join(unpacked, `${name}.jsonl`), "utf8").includes(secret)]).toEqual([
        name,
        false,
      ]);
  const posts = readFileSync(join(unpacked, "posts.jsonl"), "utf8").split("\n");
  posts[1] = '{"type":"post","title":';
  writeFileSync(join(unpacked, "posts.jsonl"), posts.join("\n"));
  await using to = await startTransfer();
  const { stdout } = await to.importFrom("platen", unpacked);
  expect(stdout).toStartWith("Imported 4 posts, 1 page, 2 komments, 3 files, 1 message, 1 revision.");
  expect(stdout).toContain("Could not be read: 1\n  Invalid line in posts.jsonl");
});

test("a message written on a page in the trash belongs to it after the import", async () => {
  await using from = await startFullGarden();
  await from.api(`/posts/${(await from.posts()).about.id}`, "DELETE");
  const db = openWithoutPlaten(from.data);
  db.run("UPDATE posts SET slug = 'about-me' WHERE title = 'About'");
  db.close();
  const place = exportPath("garden.zip");
  await from.platen("export", "platen", place, "--blog", "garden");
  await using to = await startTransfer();
  await to.importFrom("platen", place);
  expect(rowsOf(to.data, "messages")).toMatchObject([{ slug: "about-me", name: "Kim" }]);
});

test("an archive imported into its own blog restores purged posts and duplicates nothing", async () => {
  await using at = await startFullGarden();
  const place = exportPath("garden.zip");
  await at.platen("export", "platen", place, "--blog", "garden");
  const nothing = "0 posts, 0 pages, 0 komments, 0 files.";
  expect((await at.importFrom("platen", place, "--dry-run")).stdout).toStartWith(`Would import ${nothing}`);
  expect((await at.importFrom("platen", place)).stdout).toStartWith(`Imported ${nothing}`);
  const before = await at.posts();
  const db = openWithoutPlaten(at.data);
  db.run("PRAGMA foreign_keys = on");
  db.run("DELETE FROM posts WHERE slug = 'green-tea'");
  db.close();
  const back = "1 post, 0 pages, 2 komments, 0 files, 1 revision.";
  expect((await at.importFrom("platen", place, "--dry-run")).stdout).toStartWith(`Would import ${back}`);
  expect((await at.importFrom("platen", place)).stdout).toStartWith(`Imported ${back}`);
  const after = await at.posts();
  expect(Object.keys(after).toSorted()).toEqual(Object.keys(before).toSorted());
  for (const slug of Object.keys(before)) expect(comparable(after[slug])).toEqual(comparable(before[slug]));
});

test("an archive of a newer version is rejected", async () => {
  await using to = await startTransfer();
  const about = { format: "platen", version: 2, id: "x", url: "http://x.example" };
  const place = await createFolder(null, { "archive.json": JSON.stringify(about), "blog.json": "{}" });
  const ended = await to.importFrom("platen", place);
  expect([ended.code, ended.stderr]).toEqual([
    1,
    expect.stringContaining("was made by a newer version of Platen. Update Platen first.\n"),
  ]);
});

test("invalid topics and messages are not imported, and reported", async () => {
  await using to = await startTransfer();
  const about = { format: "platen", version: 1, id: "x", url: "http://x.example" };
  const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  const good = { name: "Eve", address: "eve@example.com", text: "Hello", at: "2020-01-01T00:00:00Z" };
  const place = await createFolder(null, {
    "archive.json": JSON.stringify(about),
    "blog.json": "{}",
    "tags.jsonl": lines({ name: "tea", slug: "tea" }, { name: "t".repeat(100_000), slug: "long" }),
    "messages.jsonl": lines(
      good,
      { ...good, text: "x".repeat(100_000) },
      { ...good, address: "javascript:alert(1)" },
    ),
  });
  const { code, stdout } = await to.importFrom("platen", place);
  expect(code).toBe(0);
  expect(stdout).toContain("Message from Eve: ");
  expect(rowsOf(to.data, "topics")).toEqual([{ name: "tea", slug: "tea" }]);
  expect(rowsOf(to.data, "messages")).toMatchObject([{ name: "Eve", text: "Hello" }]);
});

/** Sets every setting to another value than a new blog's. */
async function setEverything({ platen, data }: Awaited<ReturnType<typeof startFullGarden>>): Promise<void> {
  const file = (name: string, text: string) => {
    const path = exportPath(name);
    writeFileSync(path, text);
    return path;
  };
  const set = {
    ...{ title: "A garden", description: "Of green things", language: "pt-BR", "time-zone": "Europe/Berlin" },
    ...{ theme: "photo", accent: "#123456", nav: "About=/about", home: "/about", "posts-a-page": "7" },
    ...{ profile: "https://social.example/@ada", komments: "off", moderated: "off" },
    header: file("header.html", "<p>Above</p>"),
    footer: file("footer.html", "<p>Below</p>"),
    css: file("own.css", "p { color: green }"),
  };
  const options = Object.entries(set).flatMap(([name, value]) => [`--${name}`, value]);
  expect(await platen("blog", "set", "garden", ...options)).toMatchObject({ code: 0 });
  using db = openWithoutPlaten(data);
  db.run("UPDATE blogs SET blocked = 'casino'");
}

/** Adds what the full garden lacks. */
async function addTheRest(from: Awaited<ReturnType<typeof startFullGarden>>): Promise<void> {
  const headers = { authorization: `Bearer ${from.key}` };
  const body = uploadForm(new Uint8Array(firstBox("isom", ["mp42"])), "with-poster.mp4");
  body.append("attachment[poster]", new File([await picture(320, 180)], "poster.jpg"));
  const sent = await fetch(`${from.url}/api/v1/attachments`, { method: "POST", headers, body });
  const film = (await sent.json()).attachment;
  const { attachments: files } = await from.api("/attachments?limit=100");
  const [cat, leaf] = ["cat-1.jpg", "leaf.png"].map(
    (name) => files.find(({ filename }: { filename: string }) => filename === name)?.html,
  );
  const content = `${cat}${leaf}${film.html}`;
  const fields = { title: "All of it", slug: "all-of-it", status: "published", content };
  const { post } = await from.api("/posts", "POST", { post: { ...fields, preview_image: "leaf.png" } });
  await from.api(`/posts/${post.id}`, "PATCH", { post: { meta: { hidden: true } } });
  using db = openWithoutPlaten(from.data);
  db.run("UPDATE komments SET edited_at = created_at + 1000 WHERE name = 'Bo'");
  db.run("UPDATE posts SET properties = ? WHERE id = ?", [
    '{"like-of":["https://far.example/post"]}',
    post.id,
  ]);
}

/** Settings without id and time of the blog and the id of its home page, which differ. */
async function settingsOf({ api }: { api: Awaited<ReturnType<typeof startTransfer>>["api"] }) {
  const { blogs } = await api("/info");
  const { blog } = await api(`/blogs/${blogs[0].id}`);
  return comparable({ ...blog, created_at: null, updated_at: null, home_post_id: null });
}

/** Data that no API response contains. */
const ROWS = {
  komments:
    "SELECT slug, k.status, name, address, source, k.html, k.created_at, edited_at, answer, answer_html, answered_at FROM komments k JOIN posts ON posts.id = post_id ORDER BY k.created_at",
  messages:
    "SELECT slug, m.status, name, address, text, m.created_at FROM messages m LEFT JOIN posts ON posts.id = post_id ORDER BY m.created_at",
  "former addresses":
    "SELECT o.slug, p.slug AS now FROM old_slugs o JOIN posts p ON p.id = post_id ORDER BY 1",
  trash: "SELECT slug, title, deleted_at, created_at, made_by FROM posts WHERE deleted_at IS NOT NULL",
  posts:
    "SELECT slug, title, made_by, is_announced, excerpt, properties, preview_image, hidden FROM posts ORDER BY slug",
  topics: "SELECT name, slug FROM categories UNION ALL SELECT name, slug FROM tags ORDER BY 1",
  files: "SELECT filename, caption, focus, sha256, created_at, has_poster FROM blobs ORDER BY 1",
  blog: `SELECT title, description, language, time_zone, theme, accent, header_html, footer_html, custom_css, css_source, profiles,
    home_post_id = (SELECT id FROM posts WHERE slug = 'about' AND deleted_at IS NULL) AS home, posts_a_page, komments_open, komments_moderated, blocked FROM blogs`,
  versions:
    "SELECT slug, replaced_at, json_extract(fields, '$.title', '$.slug', '$.status', '$.replacedBy', '$.tags') AS said FROM revisions JOIN posts ON posts.id = post_id ORDER BY 1, 2",
};

function rowsOf(data: string, what: keyof typeof ROWS): unknown {
  using db = new Database(join(data, "platen.db"), { readonly: true });
  return db.query(ROWS[what]).all();
}

test.each(["platen", "markdown"])("import undo removes the messages of a %s export only", async (format) => {
  await using from = await startFullGarden();
  const place = exportPath("garden.zip");
  await from.platen("export", format, place, "--blog", "garden");
  await using to = await startTransfer();
  const messages = async () => JSON.parse((await to.platen("message", "list", "--json")).stdout);
  await to.importFrom(format, place);
  expect(await messages()).toHaveLength(1);
  expect((await to.platen("import", "undo", "1", "--yes")).code).toBe(0);
  expect(await messages()).toEqual([]);
  expect((await to.importFrom(format, place)).stdout).toContain("1 message");
  expect((await messages())[0].name).toBe(
    (await from.platen("message", "list", "--json").then(({ stdout }) => JSON.parse(stdout)))[0].name,
  );
});
