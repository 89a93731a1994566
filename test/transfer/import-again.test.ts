import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openWithoutPlaten } from "../support/other-program";
import { startPlaten } from "../support/platen";
import { createFolder, importFixture, jpeg, png, startTransfer } from "./start-transfer";
import { zipped } from "./zipped";

const text = (title: string, more: string, body: string) =>
  `---\ntitle: ${title}\ndate: 2020-01-01\n${more}---\n\n${body}\n`;

/** Two posts with one picture, a draft, and errors. */
const garden = async () =>
  await createFolder(null, {
    "content/posts/tea.md": text(
      "Tea",
      "tags: [green, leaf]\ncategories: [drinks]\n",
      "![A](/cup.jpg) ![B](/gone.png)",
    ),
    "content/posts/cups.md": text(
      "Cups",
      "tags: [green]\nslug: tea\ndescription: Short\n",
      "![A](/cup.jpg) {{< map >}}",
    ),
    "content/posts/soon.md": text("Soon", "draft: true\n", "![Far](https://pictures.example/far.jpg)"),
    "content/admin.md": text("Admin", "url: /admin/\n", "A page"),
    "content/posts/empty.md": '---\ntitle: ""\nslug: empty\n---\n',
    "hugo.toml": 'baseURL = "https://old.example/"\n',
    "static/cup.jpg": await jpeg(),
  });

test("the progress of an import includes each imported post", async () => {
  const { platen, blog } = startPlaten();
  const counts: number[] = [];
  await importFixture(platen, blog, "markdown", await garden(), (report) => counts.push(report.posts));
  expect(counts).toEqual(expect.arrayContaining([1, 2, 3]));
});

test("a dry run counts new, imported and missing items and changed URLs, each once", async () => {
  await using at = await startTransfer();
  const folder = await garden();
  const look = await at.importFrom("auto", folder, "--dry-run", "--json");
  const report = JSON.parse(look.stdout);
  expect(report).toMatchObject({
    ...{
      import: null,
      posts: 3,
      pages: 1,
      unpublished: 1,
      scheduled: 0,
      komments: 0,
      files: 1,
      toFetch: 1,
      known: 0,
    },
    missingFiles: { total: 1, lines: ["gone.png (in content/posts/tea.md): file not found"] },
    errors: { total: 0 },
    lost: {
      "empty posts": 1,
      "{{< map >}}, which is shown as code": 1,
      "old URLs that Platen itself uses, which do not redirect": 1,
    },
  });
  expect(report.lostOf["{{< map >}}, which is shown as code"]).toEqual(["content/posts/cups.md"]);
  // The second post of the same title is reported with its final slug.
  expect(report.changedAddresses.lines.toSorted()).toEqual(
    ["/admin → /admin-2", "/posts/tea → /tea", "/posts/tea → /tea-2"].toSorted(),
  );
  expect(await at.posts()).toEqual({});

  const brought = JSON.parse((await at.importFrom("auto", folder, "--no-fetch", "--json")).stdout);
  expect(brought).toMatchObject({
    import: 1,
    posts: 3,
    pages: 1,
    unpublished: 1,
    files: 1,
    errors: report.errors,
    lost: report.lost,
  });
  const again = JSON.parse((await at.importFrom("auto", folder, "--dry-run", "--json")).stdout);
  expect(again).toMatchObject({
    posts: 0,
    pages: 0,
    files: 0,
    known: 4,
    lost: {},
    changedAddresses: { total: 0 },
  });
});

test("a second run imports no file twice, restores nothing deleted here, and continues an interrupted import", async () => {
  await using at = await startTransfer();
  const folder = await garden();
  await at.importFrom("markdown", folder, "--no-fetch");
  const { tea } = await at.posts();
  await at.api(`/posts/${tea.id}`, "DELETE");
  const second = await at.importFrom("markdown", folder, "--no-fetch");
  expect(second.stdout).toStartWith(
    "Imported 0 posts, 0 pages, 0 komments, 0 files.\n4 posts skipped: already imported",
  );
  expect((await at.posts()).tea).toBeUndefined();
  expect((await at.api("/attachments")).attachments).toHaveLength(1);
  await Bun.write(join(folder, "content/posts/new.md"), text("New", "", "![A](/cup.jpg)"));
  const more = await at.importFrom("markdown", folder, "--no-fetch");
  expect(more.stdout).toStartWith("Imported 1 post, 0 pages, 0 komments, 0 files.");
  expect((await at.api("/attachments")).attachments).toHaveLength(1);
  // As if it was killed before its end.
  const db = openWithoutPlaten(at.data);
  db.run("UPDATE imports SET finished_at = NULL");
  db.run("DELETE FROM import_records WHERE kind = 'post' AND thing_id <> ?", [tea.id]);
  db.close();
  const third = await at.importFrom("markdown", folder, "--no-fetch");
  expect(third.stdout).toContain("This is import 1;");
  expect(JSON.parse((await at.platen("import", "list", "--json")).stdout)).toHaveLength(2);
});

test("items of one source in two formats are different items", async () => {
  await using at = await startTransfer();
  const items = [{ id: "same", content_html: "<p>Feed</p>", content_text: "Bar" }];
  const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", items });
  const folder = await createFolder(null, {
    "feed.json": feed,
    "a.bar": zipped([
      { path: "feed.json", content: feed },
      { path: "index.html", content: "" },
    ]),
  });
  expect((await at.importFrom("auto", join(folder, "feed.json"))).stdout).toStartWith("Imported 1 post,");
  expect((await at.importFrom("auto", join(folder, "a.bar"))).stdout).toStartWith("Imported 1 post,");
  const contents = Object.values(await at.posts()).map(({ content }) => content.html.trim());
  expect(contents.toSorted()).toEqual(["<p>Bar</p>", "<p>Feed</p>"]);
});

test("a duplicate item in a source is imported once, and counted once by the dry run", async () => {
  await using at = await startTransfer();
  const item = "<item><title>Once</title><guid>1</guid><description>x</description></item>";
  const feed = `<?xml version="1.0"?><rss version="2.0"><channel>${item}${item}</channel></rss>`;
  const file = join(await createFolder(null, { "feed.xml": feed }), "feed.xml");
  expect((await at.importFrom("feed", file, "--dry-run")).stdout).toStartWith("Would import 1 post,");
  expect((await at.importFrom("feed", file)).stdout).toStartWith("Imported 1 post,");
  expect(Object.keys(await at.posts())).toEqual(["once"]);
});

test("a dry run reports unreadable and missing items, and counts new messages", async () => {
  await using at = await startTransfer();
  const item = (type: string, id: number) =>
    `<item><title>${type}</title><wp:post_id>${id}</wp:post_id><wp:post_type>${type}</wp:post_type><wp:status>publish</wp:status><content:encoded>x</content:encoded></item>`;
  const wxr = `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version>${item("post", 1)}${item("nav_menu_item", 2)}<item><title>Cut`;
  const { stdout } = await at.importFrom(
    "auto",
    await createFolder(null, { "old.xml": wxr }),
    "--dry-run",
    "--partial",
  );
  expect(stdout).toContain("1 × items of type nav_menu_item");
  expect(stdout).toContain("old.xml: The file is truncated");
  const archive = await createFolder(null, {
    "archive.json": JSON.stringify({ format: "platen", version: 1, id: "x", url: "http://x.example" }),
    "blog.json": "{}",
    "files.jsonl": JSON.stringify({ sgid: "a", folder: "0".repeat(32), filename: "gone.jpg" }),
  });
  expect((await at.importFrom("auto", archive, "--dry-run")).stdout).toContain("gone.jpg: file not found");
  const message = {
    name: "Jun",
    address: "",
    text: "Hello",
    status: "read",
    at: "2020-01-01T00:00:00Z",
    page: "",
  };
  const folder = await createFolder(null, {
    "blog.json": "{}",
    "posts/tea.md": "---\ngenerator: Platen\ntitle: Tea\nslug: tea\nstatus: published\n---\nx",
    "messages.jsonl": JSON.stringify(message),
  });
  const previewImport = async () =>
    JSON.parse((await at.importFrom("markdown", folder, "--dry-run", "--json")).stdout).messages;
  expect(await previewImport()).toBe(1);
  await at.importFrom("markdown", folder);
  expect(await previewImport()).toBe(0);
});

test("undo keeps files, topics and texts of others, and forgets the import", async () => {
  await using at = await startTransfer();
  await at.api("/posts", "POST", {
    post: { title: "Mine", content: "<p>x</p>", status: "published", tags: ["green"] },
  });
  const folder = await garden();
  await at.importFrom("markdown", folder, "--no-fetch");
  const other = await createFolder(null, {
    "a.md": text("Later", "tags: [leaf]\ncategories: [drinks]\n", "x"),
    "b.png": await png(),
  });
  await at.importFrom("markdown", other);
  // Another post uses the picture now.
  const [cup] = (await at.api("/attachments")).attachments;
  await at.api("/posts", "POST", {
    post: { title: "Shows", status: "published", content: cup.html ?? cup.snippet },
  });
  const list = async () =>
    JSON.parse((await at.platen("import", "list", "--json")).stdout).map(({ id }: { id: number }) => id);
  expect(await list()).toEqual([2, 1]);
  expect((await at.platen("import", "undo", "1", "--yes")).stdout).toBe("Undone: 4 posts, 0 files.\n");
  expect(await list()).toEqual([2]);
  expect((await at.platen("import", "undo", "1", "--yes")).code).toBe(1);
  expect(Object.keys(await at.posts()).toSorted()).toEqual(["a", "mine", "shows"]);
  expect((await at.api("/attachments")).attachments).toHaveLength(1);
  expect((await at.page(new URL(cup.url).pathname)).status).toBe(200);
  const names = (db: Database, table: string) =>
    (db.query(`SELECT name FROM ${table} ORDER BY name`).all() as { name: string }[]).map(({ name }) => name);
  const db = new Database(join(at.data, "platen.db"), { readonly: true });
  expect(names(db, "tags")).toEqual(["green", "leaf"]);
  expect(names(db, "categories")).toEqual(["drinks"]);
  db.close();
  expect((await at.platen("check")).code).toBe(0);

  await at.platen("import", "undo", "2", "--yes");
  expect(await list()).toEqual([]);
  const after = new Database(join(at.data, "platen.db"), { readonly: true });
  expect(names(after, "tags")).toContain("green");
  after.close();
  expect((await at.api("/posts?search=Later&status=all")).posts).toEqual([]);
});

test("undo keeps a picture that another text links to", async () => {
  await using at = await startTransfer();
  const shown = text("Tea", "", "![A](cup.jpg) ![B](pot.png)");
  const files = { "tea.md": shown, "cup.jpg": await jpeg(), "pot.png": await png() };
  await at.importFrom("markdown", await createFolder(null, files));
  const { attachments } = await at.api("/attachments");
  const cup = attachments.find(({ filename }: { filename: string }) => filename === "cup.jpg").url;
  const content = `<p><a href="${cup}">The cup</a></p>`;
  await at.api("/posts", "POST", { post: { title: "Links", content, status: "published" } });
  expect((await at.platen("import", "undo", "1", "--yes")).stdout).toBe("Undone: 1 post, 1 file.\n");
  expect((await at.page(new URL(cup).pathname)).status).toBe(200);
});

test("a file that is no picture stays a link and is reported, and its text is imported", async () => {
  await using at = await startTransfer();
  const files = { "tea.md": text("Tea", "", "![A](page.jpg)"), "page.jpg": "<html>" };
  const { stdout } = await at.importFrom("markdown", await createFolder(null, files));
  expect(stdout).toStartWith("Imported 1 post, 0 pages, 0 komments, 0 files.");
  expect(stdout).toMatch(/Missing media files: 1\n {2}page\.jpg \(in tea\.md\): [^\n]+\n/);
  expect((await at.posts()).tea.content.source).toContain("![A](page.jpg)");
});

test("ten missing files are listed, and all of them with --all", async () => {
  await using at = await startTransfer();
  const names = Array.from({ length: 12 }, (_, number) => `gone${number}.png`);
  const tea = text("Tea", "", names.map((name) => `![x](${name})`).join("\n\n"));
  const folder = await createFolder(null, { "tea.md": tea });
  const previewImport = async (...options: string[]) =>
    (await at.importFrom("markdown", folder, "--dry-run", ...options)).stdout;
  const [some, all] = [await previewImport(), await previewImport("--all")];
  expect(names.filter((name) => some.includes(name))).toHaveLength(10);
  expect(some).toContain("  and 2 more\n");
  expect(names.filter((name) => all.includes(name))).toEqual(names);
  expect(all).not.toContain("more\n");
});
