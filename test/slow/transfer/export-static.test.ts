import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWithoutPlaten } from "../../support/other-program";
import { temporaryFolder } from "../../support/temporary";
import { startFullGarden } from "../../transfer/full-garden";
import { createFolder, startTransfer } from "../../transfer/start-transfer";

const exportPath = (name: string) => join(temporaryFolder("static"), name);

/** All URLs in a page, as written. */
function addressesIn(html: string): string[] {
  const found: string[] = [];
  new HTMLRewriter()
    .on('[href],[src],[poster],[srcset],data[class^="u-"]', {
      element(element) {
        if (element.getAttribute("rel") === "canonical" || element.tagName === "base") return;
        for (const name of ["href", "src", "poster", "value"]) found.push(element.getAttribute(name) ?? "");
        for (const size of (element.getAttribute("srcset") ?? "").split(", "))
          found.push(size.split(" ")[0] ?? "");
      },
    })
    .transform(html);
  return found.filter((address) => address !== "" && !address.startsWith("data:"));
}

test("a static site contains everything its pages link to, and its pages equal those of the server", async () => {
  await using at = await startFullGarden();
  expect(await at.platen("reach", "set", "--blog", "garden", "--webmention", "on")).toMatchObject({
    code: 0,
  });
  for (let number = 1; number <= 25; number++)
    await at.api("/posts", "POST", {
      post: {
        title: `Note ${number}`,
        content: `<p>See <a href="/green-tea">tea</a></p>`,
        tags: ["Notes"],
        status: "published",
      },
    });
  const place = exportPath("site");
  const ended = await at.platen("export", "static", place, "--blog", "garden");
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  expect(ended.stdout).toMatch(/^Wrote \d\d pages, \d\d files\.\n$/);

  const modeOf = (path: string) => statSync(join(place, path)).mode & 0o777;
  expect(["", "green-tea", "green-tea/index.html"].map(modeOf)).toEqual([0o755, 0o755, 0o644]);
  const pages = readdirSync(place, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".html"),
  );
  expect(pages).toContain("green-tea/index.html");
  expect(pages).toContain("page/2/index.html");
  expect(pages).toContain("tag/notes/page/2/index.html");
  expect(pages).not.toContain("a-draft/index.html");
  for (const page of pages) {
    const html = readFileSync(join(place, page), "utf8");
    for (const address of addressesIn(html)) {
      if (/^(?:https:\/\/pictures\.example|#|mailto:)/.test(address)) continue;
      expect([page, address, /^(?:\/|https?:)/.test(address)]).toEqual([page, address, false]);
      const target = new URL(address, `http://any.example/below/${page}`);
      expect(target.pathname).toStartWith("/below/");
      const path = join(place, decodeURIComponent(target.pathname.slice("/below/".length)));
      const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
      expect([page, address, existsSync(file)]).toEqual([page, address, true]);
    }
    expect(html).not.toMatch(/<form|rel="micropub"|href="[^"]*\/search"/);
  }
  const missing = readFileSync(join(place, "404.html"), "utf8");
  expect(missing).toContain("Page not found");
  expect(missing).toMatch(/<base href="\/">[\s\S]*<link rel="stylesheet" href="assets\//);
  const second = readFileSync(join(place, "tag/notes/page/2/index.html"), "utf8");
  expect(second).toMatch(/rel="prev" href="\.\.\/\.\.\/"/);
  const tea = readFileSync(join(place, "green-tea/index.html"), "utf8");
  const served = await (await at.page("/green-tea")).text();
  const textOf = (html: string) =>
    html.replace(/<(form|style)[\s\S]*?<\/\1>|<[^>]*>/g, "").replace(/\s+/g, " ");
  expect(textOf(tea)).toBe(textOf(served).replace("Write a komment Archive Search RSS", "Archive RSS"));
  expect(tea).toContain('<link rel="canonical" href="http://127.0.0.1:');
  const note = readFileSync(join(place, "note-7/index.html"), "utf8");
  const card = /<meta property="og:image" content="[^"]+(\/assets\/card\/[^"]+)">/.exec(note)?.[1] ?? "none";
  expect(readFileSync(join(place, card)).subarray(1, 4).toString()).toBe("PNG");
  for (const file of ["feed.xml", "feed.atom", "feed.json", "sitemap.xml", "robots.txt", "favicon.ico"])
    expect([file, statSync(join(place, file)).size > 0]).toEqual([file, true]);
  expect(readFileSync(join(place, "_redirects"), "utf8")).toBe("/tea-green-black-1 /green-tea/ 301\n");
  expect(readFileSync(join(place, "tea-green-black-1/index.html"), "utf8")).toContain(
    '<meta http-equiv="refresh" content="0; url=../green-tea/">',
  );
});

test("former URLs, topics and komment links redirect in files too, and none leaves the folder", async () => {
  await using at = await startFullGarden();
  const links = ["/tea-green-black-1", "/green-tea?komment=1", "/tag/fresh/"].map(
    (to) => `<a href="${to}">It</a>`,
  );
  await at.api("/posts", "POST", { post: { title: "Links", content: links.join(""), status: "published" } });
  await at.api("/posts", "POST", { post: { title: "Leaf", tags: ["Fresh"], status: "published" } });
  const above = "---\ntitle: Far\naliases: [/a%2F..%2F..%2Fabove]\n---\nText\n";
  await at.importFrom("markdown", await createFolder(null, { "far.md": above }));
  await at.platen("topic", "rename", "2024", "--tag", "--to", "Last year", "--blog", "garden");
  const db = openWithoutPlaten(at.data);
  for (let number = 1; number <= 60; number++)
    db.run(
      `INSERT INTO komments (blog_id, post_id, status, name, source, html, created_at, edit_hash)
       SELECT blog_id, post_id, status, name, source, '<p>Komment ' || ?1 || '</p>', created_at + ?1, ?1 FROM komments WHERE id = 1`,
      [number],
    );
  db.close();
  const place = exportPath("site");
  const hidden = { title: "In no list", status: "published", meta: { hidden: true } };
  await at.api("/posts", "POST", { post: hidden });
  const ended = await at.platen("export", "static", place, "--blog", "garden");
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  const text = (path: string) => readFileSync(join(place, path), "utf8");
  for (const [path, target] of [
    ["tea-green-black-1", "../green-tea/"],
    ["tag/2024", "../last-year/"],
  ])
    expect(text(`${path}/index.html`)).toContain(`content="0; url=${target}"`);
  expect(text("in-no-list/index.html")).toContain("In no list");
  expect(text("green-tea/komments/2/index.html")).toContain("<p>Komment ");
  expect(addressesIn(text("green-tea/index.html")).join(" ")).toContain("komments/2/");
  expect(text("_redirects")).toContain("/tag/2024 /tag/last-year/ 301\n");
  expect(addressesIn(text("links/index.html"))).toContain("../green-tea/#komment-1");
  expect(text("tag/fresh/index.html")).toContain('<h1 class="heading">Fresh</h1>');
  expect(readdirSync(join(place, ".."))).toEqual(["site"]);
  const app = JSON.parse(text("site.webmanifest"));
  expect([app.start_url, app.scope]).toEqual(["./", "./"]);
  for (const { src } of app.icons) expect([src, existsSync(join(place, src))]).toEqual([src, true]);
});

test("former URLs that pages link to redirect too, also those of replaced files", async () => {
  await using at = await startFullGarden();
  // A site of files has no queries.
  const aliases = "aliases: [/2019/tea.html, /2019/cup, '/?p=7']";
  await at.importFrom(
    "markdown",
    await createFolder(null, { "cup.md": `---\ntitle: Cup\n${aliases}\n---\nText\n` }),
  );
  const { "green-tea": tea } = await at.posts();
  const picture = new URL(tea.attachments[0].url).pathname;
  const [, , folder = ""] = picture.split("/");
  const oldFolder = "0".repeat(32);
  const db = openWithoutPlaten(at.data);
  db.run("INSERT INTO former_media (folder, blob_id) SELECT ?, id FROM blobs WHERE folder = ?", [
    oldFolder,
    folder,
  ]);
  db.close();
  const moved = picture.replace(folder, oldFolder);
  const links = ["/tea-green-black-1", "/2019/tea.html", "/2019/cup", moved].map(
    (to) => `<a href="${to}">It</a>`,
  );
  await at.api("/posts", "POST", { post: { title: "Links", content: links.join(""), status: "published" } });
  const place = exportPath("site");
  const ended = await at.platen("export", "static", place, "--blog", "garden");
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  const file = (path: string) => readFileSync(join(place, decodeURIComponent(path)));
  expect(file("_redirects").toString().trim().split("\n").toSorted()).toEqual(
    [
      `${moved} ${picture} 301`,
      "/2019/cup /cup/ 301",
      "/2019/tea.html /cup/ 301",
      "/tea-green-black-1 /green-tea/ 301",
    ].toSorted(),
  );
  for (const path of ["2019/tea.html", "2019/cup/index.html"])
    expect(file(path).toString()).toMatch(/content="0; url=(?:\.\.\/)+cup\/"/);
  expect(file(moved).equals(file(picture))).toBe(true);
});

test("the site of a blog with a path stays in its folder; links to other blogs lead to their server", async () => {
  await using at = await startFullGarden();
  await at.platen("blog", "add", "--account", "ada@example.com", "--title", "Shed", "--slug", "shed");
  const content = '<p><a href="/@shed/search">All</a> <a href="/green-tea">Tea</a></p>';
  const post = { title: "Rake", content, tags: ["Tool"], status: "published" };
  await at.api("/posts", "POST", { blog_id: 2, post });
  await at.platen("topic", "rename", "Tool", "--tag", "--to", "Thing", "--blog", "shed");
  const place = exportPath("site");
  expect((await at.platen("export", "static", place, "--blog", "shed")).stderr).toBe("");
  const rake = addressesIn(readFileSync(join(place, "rake/index.html"), "utf8"));
  expect(rake.filter((address) => /search|:|^\//.test(address))).toEqual([`${at.url}/green-tea`]);
  expect(JSON.parse(readFileSync(join(place, "site.webmanifest"), "utf8")).start_url).toBe("./");
  expect(readFileSync(join(place, "_redirects"), "utf8")).toBe("/tag/tool /tag/thing/ 301\n");
});

test("a broken link is reported with its page; everything else is exported", async () => {
  await using at = await startFullGarden();
  const dead = { hopeful: ["a-draft", "nowhere"], careful: ["gone", "lost"] };
  for (const [title, links] of Object.entries(dead)) {
    const content = links.map((link) => `<p><a href="/${link}">It</a></p>`).join("");
    await at.api("/posts", "POST", { post: { title, content, status: "published" } });
  }
  const place = exportPath("site.zip");
  const { code, stderr } = await at.platen("export", "static", place, "--blog", "garden");
  expect(code).toBe(1);
  const lines = Object.entries(dead).flatMap(([page, links]) =>
    links.map((link) => `${at.url}/${link}: ${at.url}/${page} links to this address, which returns 404.`),
  );
  expect(stderr.trim().split("\n").toSorted()).toEqual(lines.toSorted());
  expect(existsSync(place)).toBe(true);
});

test("a rendition that cannot be made is reported", async () => {
  await using at = await startFullGarden();
  const tea = await (await at.page("/green-tea")).text();
  const [, folder = ""] = /"[^"]*\/(media\/\w{32})\/sizes\/480\.webp/.exec(tea) ?? [];
  expect((await at.page(`/${folder}/sizes/thumb.webp`)).status).toBe(200);
  rmSync(join(at.data, folder, "sizes"), { recursive: true });
  writeFileSync(join(at.data, folder, "sizes"), "in the way");
  const place = exportPath("site");
  const { code, stderr } = await at.platen("export", "static", place, "--blog", "garden");
  expect(code).toBe(1);
  expect(stderr).toContain(
    `${folder}/sizes/480.webp: ${at.url}/green-tea links to this address, which returns 307.\n`,
  );
  expect(existsSync(join(place, folder, "sizes/480.webp"))).toBe(false);
});

test("without title cards, posts without pictures are described by text", async () => {
  await using at = await startFullGarden();
  await at.api("/posts", "POST", { post: { title: "Plain", content: "<p>Text</p>", status: "published" } });
  const place = exportPath("site");
  expect((await at.platen("export", "static", place, "--blog", "garden", "--no-cards")).code).toBe(0);
  const pages = readdirSync(place, { recursive: true, encoding: "utf8" });
  expect(pages.filter((path) => path.startsWith("assets/card"))).toEqual([]);
  const metaOf = (page: string) => {
    const html = readFileSync(join(place, page), "utf8");
    return [...html.matchAll(/<meta (?:property="og:image[^"]*"|name="twitter:card") content="([^"]*)">/g)];
  };
  expect(metaOf("plain/index.html").map(([, content]) => content)).toEqual(["summary"]);
  expect(metaOf("green-tea/index.html").map(([, content]) => content)).toContain("summary_large_image");
});

test("a site with tags that only pages have is complete", async () => {
  await using at = await startFullGarden();
  const about = { title: "Who we are", type: "page", tags: ["Only pages"], status: "published" };
  await at.api("/posts", "POST", { post: { ...about, content: "<p>We</p>" } });
  const place = exportPath("tagged-pages");
  const ended = await at.platen("export", "static", place, "--blog", "garden");
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  expect(readFileSync(join(place, "who-we-are/index.html"), "utf8")).toContain("Only pages");
  expect(existsSync(join(place, "tag/only-pages"))).toBe(false);
});

test("the files in public/ are part of the site", async () => {
  await using at = await startFullGarden();
  const own = join(at.data, "public");
  mkdirSync(join(own, ".well-known"), { recursive: true });
  const html = "<p>Mine: <a href='/green-tea'>tea</a></p>";
  for (const [path, content] of [
    ["cv.pdf", "cv"],
    [".well-known/nostr.json", "{}"],
    ["google1234.html", html],
    ["robots.txt", "mine"],
    ["feed.xml", "not served"],
    ["green-tea", "not served"],
  ] as const)
    writeFileSync(join(own, path), content);
  await at.api("/posts", "POST", {
    post: { title: "Work", content: `<p><a href="/cv.pdf">CV</a></p>`, status: "published" },
  });
  const place = exportPath("site");
  const ended = await at.platen("export", "static", place, "--blog", "garden");
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  const textOf = (path: string) => readFileSync(join(place, path), "utf8");
  expect(["cv.pdf", ".well-known/nostr.json", "google1234.html", "robots.txt"].map(textOf)).toEqual([
    ...["cv", "{}", html, "mine"],
  ]);
  expect(textOf("work/index.html")).toContain('href="../cv.pdf"');
  expect(textOf("feed.xml")).toContain("<rss");
  expect(textOf("green-tea/index.html")).toContain("<h1");
});

test("translations keep full URLs for search engines; each language has a feed and a home page", async () => {
  await using at = await startTransfer();
  await at.platen("blog", "set", "garden", "--language", "en");
  const post = async (fields: object) =>
    (await at.api("/posts", "POST", { post: { status: "published", ...fields } })).post;
  const { id } = await post({ title: "Tea" });
  await post({ title: "Tee", language: "de", translation_of: id });
  const place = exportPath("site");
  expect((await at.platen("export", "static", place, "--blog", "garden")).stderr).toBe("");
  const read = (path: string) => readFileSync(join(place, path), "utf8");
  const page = read("tea/index.html");
  expect(page).toMatch(/<link rel="alternate" hreflang="de" href="http[^"]*\/tee">/);
  expect(page).toMatch(/Also in <a [^>]*href="\.\.\/tee\/"[^>]*>Deutsch/);
  expect(page).toContain('href="../lang/de/feed.xml"');
  expect(read("lang/de/feed.xml").match(/<title>T..</g)).toEqual(["<title>Tee<"]);
});
