import { expect, test } from "bun:test";
import { join } from "node:path";
import { createFolder, FIXTURES, jpeg, png, startTransfer } from "./start-transfer";

test("Hugo: three kinds of front matter, bundles, pictures, shortcodes, aliases, permalinks", async () => {
  await using at = await startTransfer();
  const folder = await createFolder("hugo", {
    "content/posts/tea/cup.jpg": await jpeg(),
    "static/images/leaf.png": await png(),
  });
  const { stdout } = await at.importFrom("markdown", folder);
  expect(stdout).toStartWith("Imported 3 posts, 1 page, 0 komments, 2 files.\n1 post is not public");
  expect(stdout).toContain(
    "1 × {{< chart >}}, which is shown as code\n      in content/posts/tea/index.md\n",
  );
  expect(stdout).toContain("1 × section pages (_index.md)");

  const { tea, json, "hill-walk": hill, "walks-along": about } = await at.posts();
  expect(tea).toMatchObject({
    title: 'Tea: "green"',
    published_at: "2019-03-02T07:00:00.000Z",
    updated_at: "2020-01-01T00:00:00.000Z",
    tags: ["Tea", "Morning"],
    category: { name: "Kitchen" },
  });
  expect(tea.content.source_type).toBe("markdown");
  const { html, source } = tea.content;
  expect(html).toMatch(
    /cup\.jpg"[^>]* alt="A cup \[blue\]"[^>]*><figcaption>My &quot;cup&quot;<\/figcaption>/,
  );
  expect(html).toMatch(/leaf\.png"[^>]*><figcaption>Leaves<\/figcaption>/);
  expect(html).toContain('src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"');
  expect(source).toContain('```go\nfmt.Println("{{< figure >}}")\n```');
  expect(source).toContain("```md\n![no picture](code.jpg)\n```");
  expect(source).toContain("`![nor here](code.jpg)` `{{< chart 3 >}}`");
  expect(hill.content.html).toMatch(/^<figure[^>]*><img src="[^"]*leaf\.png"[^>]* alt="A leaf"/);
  expect(json).toMatchObject({ status: "draft", title: "In JSON" });
  expect(about).toMatchObject({ type: "page", title: "About me" });
  for (const [former, slug] of Object.entries({
    "/posts/tea/": "tea",
    "/old/tea/": "tea",
    "/tee.html": "tea",
    "/2018/07/hill-walk/": "hill-walk",
  }))
    expect([former, (await at.page(former)).headers.get("location")]).toEqual([former, `${at.url}/${slug}`]);
});

test("unreadable front matter is reported with file and line; its other lines are used, and the post is a draft", async () => {
  await using at = await startTransfer();
  const files = {
    "tea.md": '---\ntitle: Tea\ndate: 2020-01-01\ntags: [a, "b]\n---\nTea.',
    "draft.md": '+++\ntitle = "Not yet\ndraft = true\n+++\nNot to be read.',
    "fine.md": "---\ntitle: Fine\ndate: 2020-01-01\n---\nFine.",
  };
  const { stdout } = await at.importFrom("markdown", await createFolder(null, files));
  expect(stdout).toStartWith("Imported 3 posts, 0 pages, 0 komments, 0 files.\n2 posts are not public");
  expect(stdout).toContain(
    "  draft.md: front matter is not valid TOML in line 2 (read line by line); imported as a draft.\n",
  );
  expect(stdout).toContain(
    "  tea.md: front matter is not valid YAML in line 4 (read line by line); imported as a draft.\n",
  );
  expect(stdout).not.toContain("fine.md");
  expect(stdout).toEndWith("This is import 1; to undo it: platen import undo 1 --yes\n");
  const { tea, draft } = await at.posts();
  expect(tea).toMatchObject({ title: "Tea", created_at: "2020-01-01T00:00:00.000Z", status: "draft" });
  expect(draft.status).toBe("draft");
});

test("JSON front matter may be one line with braces; a text that begins with a brace stays complete", async () => {
  await using at = await startTransfer();
  const files = {
    "tea.md":
      '{"title": "Tea {green} \\"}\\" pot", "date": "2019-03-02T08:00:00Z", "params": {"tags": ["a"]}, "tags": ["Tea"]}\n\nTea.',
    "windows.md": '\uFEFF{ "title": "Windows", "draft": true }  \r\nLine one.\r\n',
    "alone.md": '{"title": "Alone", "draft": true}',
    "nested.md": '{\n  "title": "Nested",\n  "params": {\n    "a": 1\n}\n}\nBelow.\n}\n',
    "example.md": '{"name": "green", "price": 3}\n\nis an object.',
    "answer.md": '{"type": "Feature", "url": "https://x.example"}\n\nis what they send.',
    "sentence.md": '{"title": "Tea"} is an object with a title.',
    "several.md": '{\n  "colour": "green"\n}\n\nis one too.',
    "shortcode.md": '{{< chart "title" >}}\n\nText.',
    "open.md": '{"title": "never closed\n\nText.',
    "wrong.md": "{title: Tea}\n\nText.",
  };
  const { stdout } = await at.importFrom("markdown", await createFolder(null, files));
  expect(stdout).toStartWith("Imported 11 posts, 0 pages");
  const posts = await at.posts();
  const contents = Object.entries(posts).map(([slug, { title, content }]) => [slug, title, content.source]);
  expect(contents.toSorted(([a], [b]) => a.localeCompare(b))).toEqual([
    ["alone", "Alone", ""],
    ["answer", "", files["answer.md"]],
    ["example", "", files["example.md"]],
    ["nested", "Nested", "Below.\n}"],
    ["open", "", files["open.md"]],
    ["sentence", "", files["sentence.md"]],
    ["several", "", files["several.md"]],
    ["shortcode", "", '`{{< chart "title" >}}`\n\nText.'],
    ["tea", 'Tea {green} "}" pot', "Tea."],
    ["windows", "Windows", "Line one."],
    ["wrong", "", files["wrong.md"]],
  ]);
  expect(posts.tea).toMatchObject({ published_at: "2019-03-02T08:00:00.000Z", tags: ["Tea"] });
  expect(posts.windows.status).toBe("draft");
});

test("a text that begins with a divider stays complete, and YAML may end with dots", async () => {
  await using at = await startTransfer();
  const drawn = "---\n\nBefore all else\n\n---\n\nThen more.";
  const files = {
    "drawn.md": drawn,
    "said.md": drawn.replace("Before", "Note: before"),
    "spaced.md": "---\n\nNote: x\ntitle: Spaced\n---\nText.",
    "list.md": "+++\n- tea\n+++\nText.",
    "points.md": "---\ntitle: Points\ndate: 2020-01-01\n...\nFirst.\n\n---\n\nLast.",
    "empty.md": "---\n# nothing yet\n---\nText.",
  };
  const { stdout } = await at.importFrom("markdown", await createFolder(null, files));
  expect(stdout).not.toContain("Could not be read");
  const { drawn: first, said, spaced, list, points, empty } = await at.posts();
  expect(first.content.source).toBe(drawn);
  expect(said.content.source).toBe(files["said.md"]);
  expect([spaced.title, spaced.content.source]).toEqual(["Spaced", "Text."]);
  expect(list.content.source).toBe(files["list.md"]);
  expect(points).toMatchObject({ title: "Points", published_at: "2020-01-01T00:00:00.000Z" });
  expect(points.content.source).toBe("First.\n\n---\n\nLast.");
  expect(empty.content.source).toBe("Text.");
});

test("pictures named in front matter are imported in every notation, unused ones are not", async () => {
  await using at = await startTransfer();
  const text = `![A cup][ it ] ![Cup][] ![cup] [![Small][Cup]](leaf.jpg) ![none][at all] \`![cup]\` ![shown] how

\`\`\`
[cup]: leaf.jpg
[shown]: leaf.jpg
\`\`\`

[CUP]: <a cup.png> "By Ada"
[cup]: other.png
  [ it ]: leaf.jpg`;
  const files = { "tea.md": text, "a cup.png": await png(), "leaf.jpg": await jpeg() };
  const { stdout } = await at.importFrom("markdown", await createFolder(null, files));
  expect(stdout).toStartWith("Imported 1 post, 0 pages, 0 komments, 2 files.");
  const { html, source } = (await at.posts()).tea.content;
  const shown = [...html.matchAll(/<img src="[^"]*\/([^/"]+)"/g)].map(([, name]) => decodeURIComponent(name));
  expect(shown).toEqual(["leaf.jpg", "a cup.png", "a cup.png", "leaf.jpg"]);
  expect(html).toMatch(/a%20cup\.png"[^>]* alt="Cup"[^>]*><figcaption>By Ada</);
  expect(source).toContain("![none][at all] `![cup]` ![shown] how");
});

test("numeric times are seconds or milliseconds since 1970", async () => {
  await using at = await startTransfer();
  const files = {
    "seconds.md": "---\ntitle: Seconds\ndate: 1367661600\n---\nTea.",
    "thousandths.md": "---\ntitle: Thousandths\ndate: 1367661600500\n---\nTea.",
  };
  await at.importFrom("markdown", await createFolder(null, files));
  const { seconds, thousandths } = await at.posts();
  expect(seconds.published_at).toBe("2013-05-04T10:00:00.000Z");
  expect(thousandths.published_at).toStartWith("2013-05-04T10:00:00");
});

test("Hugo texts in several languages keep their URLs", async () => {
  await using at = await startTransfer();
  const files = {
    "hugo.toml": 'baseURL = "https://old.example/"\n',
    "content/posts/tea.md": "---\ntitle: Tea\ndate: 2020-01-01\n---\nTea.",
    "content/posts/tea.fr.md": "---\ntitle: Thé\ndate: 2020-01-01\n---\nThé.",
    "content/posts/bundle/index.en.md": "---\ntitle: Bundle\ndate: 2020-01-01\n---\n![It](it.png)",
    "content/posts/bundle/index.de.md": "---\ntitle: Bündel\ndate: 2020-01-01\n---\n![Es](it.png)",
    "content/posts/bundle/it.png": await png(),
  };
  const { stdout } = await at.importFrom("markdown", await createFolder(null, files));
  expect(stdout).toStartWith("Imported 4 posts, 0 pages, 0 komments, 1 file.");
  for (const [former, now] of [
    ["/posts/tea/", "tea"],
    ["/fr/posts/tea/", "tea-fr"],
    ["/posts/bundle/", "bundle"],
    ["/de/posts/bundle/", "bundle-de"],
  ])
    expect((await at.page(former as string)).headers.get("location")).toBe(`${at.url}/${now}`);
  const posts = await at.posts();
  expect(posts["tea-fr"]).toMatchObject({ language: "fr", translation_of: posts.tea.id });
  expect(posts.bundle).toMatchObject({ language: null, translation_of: posts["bundle-de"].id });
});

test("Hugo with a folder per language: the default language is not in URLs, root-relative pictures are found", async () => {
  await using at = await startTransfer();
  const explained = "`{{ range .Pages }}` and {{</* chart 3 */>}}{{%/* note */%}} {% if %}";
  const files = {
    "config/_default/hugo.toml": 'baseURL = "https://old.example/"\n',
    "layouts/index.xml":
      '<?xml version="1.0"?><rss><channel><item><title>{{ .Title }}</title></item></channel></rss>',
    "content/en/news/tea/index.md": `---\ntitle: Tea\ndate: 2020-01-01\nimages: [images/leaf.png]\n---\n${explained}`,
    "content/en/news/cup.md": "---\ntitle: Cup\ndate: 2020-01-01\nimage: cup.png\n---\nCup.",
    "content/en/news/cup.png": await png(),
    "content/en/about.md": "---\ntitle: About\n---\nMe.",
    "content/fr/news/tea.md": "---\ntitle: Thé\nslug: the\ndate: 2020-01-01\n---\nThé.",
    "static/images/leaf.png": await jpeg(),
  };
  const folder = await createFolder(null, files);
  const { stdout } = await at.importFrom("auto", folder);
  expect(stdout).toStartWith("Imported 3 posts, 1 page, 0 komments, 2 files.");
  expect(stdout).not.toContain("stays unchanged");
  const { tea, cup } = await at.posts();
  expect(tea.content.source).toEndWith("`{{ range .Pages }}` and {{< chart 3 >}}{{% note %}} {% if %}");
  for (const { content } of [tea, cup]) expect(content.html).toStartWith("<figure");
  for (const [former, now] of [
    ["/news/tea/", "tea"],
    ["/fr/news/the/", "the"],
  ])
    expect((await at.page(former as string)).headers.get("location")).toBe(`${at.url}/${now}`);
});

test("a feed template is no feed, nor is a generated feed in a site's folder", async () => {
  await using at = await startTransfer();
  const made =
    '<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><item><title>Made</title></item></channel></rss>';
  const post = { "_posts/2020-01-01-tea.md": "---\ntitle: Tea\n---\nText." };
  const liquid = made.replace("<title>T", "<title>{{ site.title }}");
  const folders: Record<string, string>[] = [
    {
      "_config.yml": "title: T\n",
      "feed.xml": `---\nlayout: null\n---\n${made}`,
      "_site/feed.xml": made,
      ...post,
    },
    { "feed.xml": liquid, "notes/cup.md": "# Cup\n\nText." },
    { "feed.xml": `---\n---\n${made}`, "notes/pot.mdx": "# Pot\n\nText.\n\n{/* truncate */}\n\nMore." },
  ];
  for (const files of folders)
    expect((await at.importFrom("auto", await createFolder(null, files))).stdout).toStartWith(
      "Imported 1 post,",
    );
  const posts = await at.posts();
  expect(Object.keys(posts).toSorted()).toEqual(["cup", "pot", "tea"]);
  // Docusaurus' mark for the end of an excerpt.
  expect(posts.pot.content.html).not.toContain("truncate");
});

test("Jekyll includes, comments and links; a folder of notes that link to each other", async () => {
  await using at = await startTransfer();
  const jekyll = {
    "_config.yml": "permalink: pretty\n",
    "assets/i.png": await png(),
    "_posts/2019-03-04-first.md": `---
title: First
---
{% include figure.html src="/assets/i.png" alt="What it shows" caption="Below" %}
{% include youtube.html id="dQw4w9WgXcQ" %}
{% gist ada/1 %}

Large
{: .big}

See [this]({% link _posts/2019-03-05-second.md %}).{% comment %}nobody sees it{% endcomment %}

* TOC
{:toc}`,
    "_posts/2019-03-05-second.md": "---\ntitle: Second\n---\nText",
  };
  await at.importFrom("markdown", await createFolder(null, jekyll));
  const notes = {
    "Notes/My Note.md": `---
created: 2022-02-03
---
To [[Other Note]] and [[other note|shown so]]: ![[pic.png|What it is]] ![[pic.png|300]] \`[[Other Note]]\` [[Nowhere]]`,
    "Notes/Other Note.md": "Text.",
    "attachments/pic.png": await png(),
  };
  const vault = await createFolder(null, notes);
  expect((await at.importFrom("markdown", vault, "--dry-run")).stdout).not.toContain("<img>");
  await at.importFrom("markdown", vault);
  const { first, "my-note": note } = await at.posts();
  const { html } = first.content;
  expect(html).toMatch(/i\.png"[^>]* alt="What it shows".*<figcaption>Below<\/figcaption>/);
  expect(html).toContain('src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"');
  expect(html).toContain('<a href="/second">this</a>');
  expect(html).toContain('<a href="https://gist.github.com/ada/1">');
  for (const gone of ["nobody sees", "TOC", "{%", "{:"]) expect(html).not.toContain(gone);
  expect(note).toMatchObject({ title: "My Note", published_at: "2022-02-03T00:00:00.000Z" });
  const { html: said } = note.content;
  expect(said).toContain('<a href="/notes/other%20note/">Other Note</a> and');
  expect(said).toContain('<a href="/notes/other%20note/">shown so</a>');
  expect(said.match(/<figure class="attachment[^>]*><img [^>]*alt="What it is"/g)).toHaveLength(2);
  expect(said).toContain("<code>[[Other Note]]</code> [[Nowhere]]");
  expect((await at.page("/notes/other%20note/")).headers.get("location")).toBe(`${at.url}/other-note`);
});

test("the URL in a text's url or permalink redirects to it", async () => {
  await using at = await startTransfer();
  const text = (title: string, address: string) =>
    `---\ntitle: ${title}\ndate: 2020-01-01\n${address}\n---\nText`;
  const files = {
    "one.md": text("One", "url: /far/first.html"),
    "two.md": text("Two", "permalink: /far/2/"),
  };
  await at.importFrom("markdown", await createFolder(null, files));
  const redirectOf = async (path: string) => (await at.page(path)).headers.get("location");
  expect([await redirectOf("/far/first.html"), await redirectOf("/far/2/")]).toEqual([
    `${at.url}/one`,
    `${at.url}/two`,
  ]);
});

test("root-relative pictures are found in the folders that each program uses", async () => {
  await using at = await startTransfer();
  const folders = ["static", "assets", "public", "content", "source", "src", "wp-content/uploads"];
  const names = folders.map((_, number) => `picture${number}.png`);
  const bytes = await png();
  const files = Object.fromEntries(folders.map((folder, at) => [`${folder}/${names[at]}`, bytes]));
  const text = `---\ntitle: All\n---\n${names.map((name) => `![](/${name})`).join("\n\n")}`;
  const { stdout } = await at.importFrom("markdown", await createFolder(null, { ...files, "all.md": text }));
  expect(stdout).toStartWith("Imported 1 post, 0 pages, 0 komments, 7 files.");
});

test("Jekyll: dates in names, categories, drafts, Liquid, time zone and permalinks", async () => {
  await using at = await startTransfer();
  const folder = await createFolder("jekyll", { "assets/loaf.jpg": await jpeg() });
  const { stdout } = await at.importFrom("auto", folder);
  expect(stdout).toStartWith("Imported 3 posts, 1 page, 0 komments, 1 file.\n2 posts are not public");
  const { bread, rolls, soup, about, ...others } = await at.posts();
  expect(others).toEqual({});
  expect(bread).toMatchObject({
    published_at: "2013-05-04T10:30:00.000Z",
    category: { name: "kitchen" },
    tags: ["rye", "wheat", "oven"],
  });
  expect(bread.content.text).toContain("Flour. {{ braces }} Next");
  expect(bread.content.html).toContain('<a href="/rolls">Next</a>');
  expect(bread.content.html).toMatch(/loaf\.jpg"[^>]* alt="Loaf"/);
  expect(bread.content.source).toContain("```ruby\nputs 1\n```");
  expect(rolls).toMatchObject({ status: "draft", title: 'Rolls, at "last": done' });
  expect(soup.status).toBe("draft");
  expect(about.type).toBe("page");
  for (const [former, slug] of Object.entries({
    "/kitchen/oven/2013/05/04/bread.html": "bread",
    "/bread-old/": "bread",
    "/about/me/": "about",
  }))
    expect([former, (await at.page(former)).headers.get("location")]).toEqual([former, `${at.url}/${slug}`]);
});

test("Eleventy collections are ignored; texts without front matter get a title", async () => {
  await using at = await startTransfer();
  expect((await at.importFrom("auto", join(FIXTURES, "eleventy"))).stdout).toContain("(permalink: false)");
  expect((await at.importFrom("auto", join(FIXTURES, "plain"))).stdout).toContain("1 × missing dates");
  const { one, "a-walk": walk } = await at.posts();
  expect(one.tags).toEqual(["sea"]);
  expect(walk).toMatchObject({ title: "A walk in the rain", status: "published" });
  expect(walk.content.text).toBe("It rained.");
});
