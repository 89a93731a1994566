import { expect, test } from "bun:test";
import { createFolder, png, startTransfer } from "./start-transfer";
import { zipped } from "./zipped";

test("an old Hugo site with capitalized front matter keeps titles, tags, dates, drafts and URLs", async () => {
  await using at = await startTransfer();
  const folder = await createFolder("hugo-capitals", { "static/media/ferry.png": await png() });
  const { stdout } = await at.importFrom("auto", folder);
  expect(stdout).toStartWith("Imported 4 posts, 0 pages, 0 komments, 1 file.\n1 post is not public");
  const {
    "the-first-ferry": ferry,
    "not-to-be-read": draft,
    "in-toml": toml,
    "in-json": json,
  } = await at.posts();
  expect(ferry).toMatchObject({
    title: "Morning: the first ferry",
    published_at: "2009-11-12T00:00:00.000Z",
    tags: ["boats", "harbour", "Journeys"],
  });
  expect(ferry.content.html).toContain("<figcaption>At the pier</figcaption>");
  expect(draft).toMatchObject({ status: "draft", title: "Not to be read", tags: ["boats"] });
  expect(draft.created_at).toBe("2010-02-03T00:00:00.000Z");
  expect(toml).toMatchObject({
    title: "In TOML",
    published_at: "2011-05-06T07:08:09.000Z",
    tags: ["islands"],
  });
  expect(json).toMatchObject({ title: "In JSON", published_at: "2012-01-02T00:00:00.000Z", tags: ["Talks"] });
  const found = ["/post/the-first-ferry/", "/post/in-toml/", "/islands.html", "/presentation/in-json/"];
  const there = ["the-first-ferry", "in-toml", "in-toml", "in-json"].map((slug) => `${at.url}/${slug}`);
  expect(await Promise.all(found.map(async (path) => (await at.page(path)).headers.get("location")))).toEqual(
    there,
  );
  expect((await at.page("/not-to-be-read")).status).toBe(404);
});

test("a text with unreadable front matter is imported as a draft, and reported", async () => {
  await using at = await startTransfer();
  const files = {
    "script.md":
      '---js\nconst title = "Script"; // as Eleventy has it\nconst date = "2023-01-23"\nconst tags = [\n  "a",\n];\n---\nPublic.',
    "object.md": "---js\n{\n  title: `Object`,\n  draft: true,\n}\n---\nNot public.",
    "computed.md": '---js\nconst title = "Computed";\nconst draft = isDraft();\n---\nNot public.',
    "coffee.md": '---coffee\ntitle = "x"\n---\n# Coffee\n\nNot public.',
    "points.md": '---json\n{"title": "Points", "draft": true,}\n---\nNot public.',
    "wrong-points.md": "---json\ntitle Points\n---\nNot public.",
    "quote.md": '---\ntitle: "Quote\ntags:\n  - kept\n---\nNot public.',
    "object-in-json.md": '{\n  "title": "Comma",\n  "draft": true,\n}\n\nNot public.',
    "open.md": "---\ntitle: Open\nDraft: true\n\nNot public.",
    "twice.md": "---\ntitle: Twice\ndraft: false\nDraft: true\n---\nNot public.",
    "toml-in-yaml.md": '---\ntitle = "T"\ndraft = true\n---\nNot public.',
    "unsure.md": "---\ntitle: Unsure\ndraft: later\n---\nNot public.",
    "drawn.md": "--- Words\n\nPublic.\n\n---\n\nMore.",
  };
  const { stdout } = await at.importFrom("markdown", await createFolder(null, files));
  const posts = await at.posts();
  // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests are about
  const isPublic = Object.values(posts).filter((post: any) => post.status === "published");
  // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests are about
  expect(isPublic.map((post: any) => post.slug).toSorted()).toEqual(["drawn", "script"]);
  expect(Object.keys(posts)).toHaveLength(13);
  expect(posts.script).toMatchObject({
    title: "Script",
    published_at: "2023-01-23T00:00:00.000Z",
    tags: ["a"],
  });
  expect([posts.object.title, posts.points.title, posts.computed.title, posts.coffee.title]).toEqual([
    "Object",
    "Points",
    "Computed",
    "Coffee",
  ]);
  // The unreadable text is not lost.
  expect(posts.quote.content.source).toContain("- kept");
  expect(stdout).toContain(
    "  computed.md: front matter is JavaScript with computed values in line 3 (read line by line); imported as a draft.\n",
  );
  for (const name of ["coffee", "wrong-points", "quote", "object-in-json", "open", "toml-in-yaml"])
    expect(stdout).toContain(`  ${name}.md: front matter `);
  for (const name of ["script", "object.md", "points.md", "twice", "drawn"])
    expect(stdout).not.toContain(`  ${name}.md: its`);
});

test("an Eleventy site keeps values of its data files, and the URLs of its settings and texts", async () => {
  await using at = await startTransfer();
  const folder = await createFolder("eleventy-data", { "content/blog/winter/snow.png": await png() });
  const { stdout } = await at.importFrom("auto", folder);
  expect(stdout).toStartWith("Imported 6 posts, 1 page, 0 komments, 1 file.\n2 posts are not public");
  expect(stdout).toContain("1 × error pages (404)");
  expect(stdout).toContain("1 × index pages: the blog has its own lists");
  const { spring, summer, autumn, winter, "next-year": draft, idea, about, ...others } = await at.posts();
  expect(others).toEqual({});
  expect([spring, summer, autumn, winter].map(({ title, tags }) => [title, tags])).toEqual([
    ["Spring", ["green"]],
    ["Summer", ["long days"]],
    ["Autumn", []],
    ["Winter", []],
  ]);
  expect(spring.published_at).toBe("2018-05-01T00:00:00.000Z");
  expect(winter.content.html).toContain('alt="Snow on a roof"');
  expect(draft).toMatchObject({
    title: "Next year",
    status: "draft",
    created_at: "2023-01-23T00:00:00.000Z",
  });
  expect(idea).toMatchObject({ title: "An idea", status: "draft", tags: ["note"] });
  expect(about).toMatchObject({ title: "About", type: "page" });
  for (const [former, slug] of Object.entries({
    "/blog/spring/": "spring",
    "/summer/of/2018/": "summer",
    "/late/autumn.html": "autumn",
    "/blog/winter/": "winter",
  }))
    expect([former, (await at.page(former)).headers.get("location")]).toEqual([former, `${at.url}/${slug}`]);
  for (const former of ["/blog/next-year/", "/notes/idea/", "/content/blog/spring/"])
    expect((await at.page(former)).status).toBe(404);
});

test("a hidden .eleventy.js names the folder of the posts, in a folder and in a ZIP", async () => {
  await using at = await startTransfer();
  const files = {
    ".eleventy.js": 'module.exports = () => ({ dir: { input: "content" } });\n',
    ".hidden/secret.md": "---\ntitle: Secret\n---\nHidden.",
    "node_modules/some/readme.md": "Installed.",
    "content/tea.md": "---\ntitle: Tea\ndate: 2020-01-01\n---\nGreen.",
  };
  const zip = zipped(Object.entries(files).map(([path, content]) => ({ path, content })));
  const folder = await createFolder(null, { "site.zip": zip });
  for (const place of [await createFolder(null, files), `${folder}/site.zip`]) {
    const { stdout } = await at.importFrom("markdown", place, "--dry-run");
    expect(stdout).toStartWith("Would import 1 post, 0 pages");
    expect(stdout).not.toContain("/content/tea");
  }
  await at.importFrom("markdown", `${folder}/site.zip`);
  expect((await at.page("/tea/")).status).toBe(301);
  expect((await at.page("/content/tea/")).status).toBe(404);
});

test("drafts of an Eleventy folder whose data file is truncated stay drafts, and the file is reported", async () => {
  await using at = await startTransfer();
  const files = {
    ".eleventy.js": "module.exports = () => ({});\n",
    "notes/notes.json": '{ "tags": ["Notes"], "draft": true, "layout": "no',
    "notes/secret.md": "---\ntitle: Secret\ndate: 2020-01-01\n---\nNot to be read.",
  };
  const { stdout } = await at.importFrom("markdown", await createFolder(null, files));
  expect(stdout).toContain("  notes/notes.json: sets computed values (all of it), which are ignored.\n");
  expect((await at.posts()).secret).toMatchObject({ title: "Secret", status: "draft" });
});

test("files without a page on the old site are not imported: error pages, indexes, partials, empty files", async () => {
  await using at = await startTransfer();
  const post = (words: string, more = "") => `---\ntitle: ${words}\ndate: 2020-01-01\n${more}---\n${words}.`;
  const hugo = {
    "hugo.toml":
      'baseURL = "https://old.example/"\n[[cascade]]\n  draft = true\n  [cascade.target]\n    path = "/{later,LATER}/**"\n',
    "content/404.md": post("Lost"),
    "content/index.md": post("Home"),
    "content/posts/plain.md": post("Plain"),
    "content/posts/listed-nowhere.md": post("Unlisted", "build:\n  list: never\n"),
    "content/posts/never.md": post("Never", "build:\n  render: never\n"),
    "content/posts/old-never.md": post("Old never", "_build: { render: false }\n"),
    "content/posts/bundle/index.md": post("Bundle"),
    "content/posts/bundle/part.md": post("Part"),
    "content/posts/only-a-title.md": "---\ntitle: Only a title\ndate: 2020-01-01\n---\n",
    "content/posts/idea.md": "---\ntitle: Idea\ndraft: true\n---\n",
    "content/drawer/_index.md":
      "---\ncascade:\n  - target: { path: '/drawer/old/**' }\n    build: { render: never }\n  - draft: true\n---\n",
    "content/drawer/one.md": post("One"),
    "content/drawer/two.md": post("Two", "draft: false\n"),
    "content/drawer/old/three.md": post("Three"),
    "content/broken/_index.md": '---\ncascade:\n  draft: "true\n---\n',
    "content/broken/four.md": post("Four"),
    "content/later/five.md": post("Five"),
    "content/posts/over.md": post("Over", "expiryDate: 2021-01-01\n"),
    "content/posts/not-over.md": post("Not over", "expiryDate: 2199-01-01\n"),
  };
  const { stdout } = await at.importFrom("markdown", await createFolder(null, hugo));
  const states = Object.entries(await at.posts()).map(([slug, post]) => [
    slug,
    post.status,
    post.meta.hidden,
  ]);
  expect(states.toSorted()).toEqual([
    ["bundle", "published", false],
    ["five", "draft", false],
    ["four", "draft", false],
    ["idea", "draft", false],
    ["listed-nowhere", "published", true],
    ["not-over", "published", false],
    ["one", "draft", false],
    ["over", "archived", false],
    ["plain", "published", false],
    ["two", "published", false],
  ]);
  expect(stdout).toContain("3 × posts without a URL (build.render)");
  expect(stdout).toContain("1 × expired posts (expiryDate), which are archived");
  expect(stdout).toContain("1 × empty posts");
  expect(stdout).toContain("1 × other files in a post's folder (with index.md)");
});

test("dated texts below pages/post/ are posts with Cecil's URLs", async () => {
  await using at = await startTransfer();
  const texts = {
    "pages/post/2016-04-01_the-start.md": "---\ntitle: The start\ndate: 2016-04-01\n---\nHere.",
    "pages/post/2016-05-02_hidden.md":
      "---\npublished: false\ntitle: Hidden\ndate: 2016-05-02\n---\nNot yet.",
    "pages/about.md": "---\ntitle: About\ndate: 2016-01-01\n---\nUs.",
    "pages/index.md": "---\ntitle: Home\n---\nAll of it.",
  };
  const settings =
    "baseurl: https://old.example/\npages:\n  paths:\n    - section: post\n      path: :year/:month/:day/:slug\n";
  const folder = await createFolder(null, {
    "cecil.yml": settings,
    "models/post.md": "---\ntitle: x\n---\nx",
    ...texts,
  });
  await at.importFrom("markdown", folder);
  const { "the-start": start, hidden, about, ...others } = await at.posts();
  expect([start.type, hidden.type, hidden.status, about.type, others]).toEqual([
    "post",
    "post",
    "draft",
    "page",
    {},
  ]);
  expect((await at.page("/2016/04/01/the-start")).headers.get("location")).toBe(`${at.url}/the-start`);

  await using bare = await startTransfer();
  await bare.importFrom("markdown", await createFolder(null, texts));
  const { "the-start": known, about: page } = await bare.posts();
  expect([known.type, page.type]).toEqual(["post", "page"]);
});

test("Hugo shortcodes that a post can show are converted; others become code and are reported", async () => {
  await using at = await startTransfer();
  const text = `---
title: Tea
date: 2020-01-01
---
{{< youtube dQw4w9WgXcQ >}}

{{< vimeo id="146022717" >}}

{{< gist ada 1234 >}}

{{< figure
  src="cup.png"
  alt="A cup"
  caption="Mine"
>}}

{{< highlight go >}}
fmt.Println(1)
{{< /highlight >}}

See [the cup]({{< ref "cup.md" >}}), [its handle]({{< relref "/posts/cup#handle" >}}) and [below](<{{< relref "#end" >}}>).

{{< tweet user="ada" id="1" >}} and {{% note %}}a *note*{{% /note %}} and [a file]({{< file "x" >}}).

{{</* kept 1 */>}} \`{{< inCode >}}\`
`;
  const files = {
    "hugo.toml": 'baseURL = "https://old.example/"\n[permalinks]\nposts = "/:year/:slug/"\n',
    "content/posts/tea.md": text,
    "content/posts/cup.md": "---\ntitle: Cup\nslug: a-cup\ndate: 2020-01-01\n---\n{{< tweet 2 >}}",
    "content/posts/cup.png": await png(),
  };
  const folder = await createFolder(null, files);
  const { stdout } = await at.importFrom("hugo", folder, "--dry-run");
  expect(stdout).toContain(
    "  2 × {{< tweet >}}, which is shown as code\n      in content/posts/cup.md, content/posts/tea.md\n",
  );
  expect(stdout).toContain("  1 × {{< file >}}, which stays unchanged\n      in content/posts/tea.md\n");
  await at.importFrom("hugo", folder);
  const { html } = (await at.posts()).tea.content;
  expect(html).toContain('src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"');
  expect(html).toContain('src="https://player.vimeo.com/video/146022717"');
  expect(html).toContain('<a href="https://gist.github.com/ada/1234">');
  expect(html).toMatch(/cup\.png"[^>]* alt="A cup"[^>]*><figcaption>Mine</);
  expect(html).toMatch(/<pre[^>]*><code class="language-go[^>]*>/);
  expect(html).toContain('<a href="/posts/cup/">the cup</a>');
  expect(html).toContain('<a href="/posts/cup/#handle">its handle</a>');
  expect(html).toContain('<a href="#end">below</a>');
  expect(html).toContain(`<code>{{&lt; tweet user="ada" id="1" &gt;}}</code> and`);
  expect(html).toContain("<code>{{% note %}}</code>a <em>note</em><code>{{% /note %}}</code>");
  for (const former of ["/posts/cup/", "/2020/a-cup/"])
    expect((await at.page(former)).headers.get("location")).toBe(`${at.url}/a-cup`);
});

test("a picture whose markup spans lines, or is in a link, is imported; a topic tag named like the category stays", async () => {
  await using at = await startTransfer();
  const text = `---
title: Tea
date: 2020-01-01
categories: [Tea]
tags: [Tea, green]
---
A cup: ![A cup
of tea](one.png
"On a
table")

[![A \`small\`
pot](two.png)](https://elsewhere.example/)

<img src="three.png"
  alt="A leaf">

![Not a picture

](one.png)

\`\`\`
![a
b](four.png)
\`\`\``;
  const names = ["one.png", "two.png", "three.png", "four.png"];
  const bytes = await png();
  const pictures = Object.fromEntries(names.map((name) => [name, bytes]));
  const { stdout } = await at.importFrom(
    "markdown",
    await createFolder(null, { "tea.md": text, ...pictures }),
  );
  expect(stdout).toStartWith("Imported 1 post, 0 pages, 0 komments, 3 files.");
  const { tea } = await at.posts();
  expect(tea.content.html).toMatch(/one\.png"[^>]* alt="A cup of tea"[^>]*><figcaption>On a table</);
  expect(tea.content.html).toMatch(/two\.png"[^>]* alt="A `small` pot"/);
  // The link around a picture is kept.
  expect(tea.content.html).toContain('<a href="https://elsewhere.example/">A <code>small</code> pot</a>');
  expect(tea.content.html).toMatch(/three\.png"[^>]* alt="A leaf"/);
  expect(tea.content.html).toContain("![a\nb](four.png)");
  expect([tea.category.name, tea.tags]).toEqual(["Tea", ["Tea", "green"]]);
});

test("a Jekyll site with pages and pictures at the top is detected as Markdown", async () => {
  await using at = await startTransfer();
  const folder = await createFolder(null, {
    "_config.yml": "title: Tea",
    "index.html": "---\n---\n{% for post in site.posts %}{{ post.title }}{% endfor %}",
    "about.md": "---\ntitle: About\n---\nA pot.",
    "_posts/2020-01-01-tea.md": "---\ntitle: Tea\n---\nTea.",
    "images/pots/small.png": await png(),
  });
  expect((await at.importFrom("auto", folder)).stdout).toStartWith("Imported 1 post, 1 page,");
});

test("a first heading that repeats the title is dropped; another one stays", async () => {
  await using at = await startTransfer();
  const folder = await createFolder(null, {
    "_config.yml": "title: Tea",
    "_posts/2020-01-01-marked.md": "---\ntitle: Green tea\n---\n# Green tea\n\nA leaf.",
    "_posts/2020-01-02-jekyll.md": "---\ntitle: Black tea\n---\n{{ page.title }}\n===\n\nA leaf.",
    "_posts/2020-01-03-other.md": "---\ntitle: White tea\n---\n# Water\n\nA leaf.",
  });
  await at.importFrom("jekyll", folder);
  const { marked, jekyll, other } = await at.posts();
  const htmlOf = (post: typeof marked) => post.content.html.trim();
  expect([marked, jekyll].map(htmlOf)).toEqual(["<p>A leaf.</p>", "<p>A leaf.</p>"]);
  expect(htmlOf(other)).toContain("Water</h");
});

test("hugo, jekyll and eleventy are other names of markdown", async () => {
  await using at = await startTransfer();
  const folder = await createFolder(null, { "tea.md": "---\ntitle: Tea\ndate: 2020-01-01\n---\nTea." });
  for (const [name, brought] of [
    ["hugo", "1 post"],
    ["jekyll", "0 posts"],
    ["eleventy", "0 posts"],
  ] as const)
    expect((await at.importFrom(name, folder)).stdout).toStartWith(`Imported ${brought},`);
});

test("a Pelican header keeps title, tags, date, slug, summary and draft state", async () => {
  await using at = await startTransfer();
  const files = {
    "content/tea.md":
      "Title: Tea: a start\nDate: 2013-01-02 10:20\nModified: 2014-02-03\nCategory: Drinks\nTags: green, hot water\nSlug: first-tea\nAuthor: Ada\nSummary: How it\n    began\n\nWith *water*.",
    "content/later.md": "title: Not yet\ndate: 2013-01-03\nstatus: draft\n\nSecret.",
    "content/drafts/empty.md": "Title: Nothing yet\nStatus: draft\n",
    "content/hidden.md": "Date: 2013-01-04\nTitle: By its address\nStatus: hidden\n\nSecret.",
    "content/prose.md": "Date: as agreed\nwe met at noon.\n\nThen we left.",
    "content/note.md": "Note: this is no header.\nTitle: nor is this\n\nMore.",
  };
  const { code } = await at.importFrom("markdown", await createFolder(null, files));
  expect(code).toBe(0);
  const posts = await at.posts();
  expect(posts["first-tea"]).toMatchObject({
    title: "Tea: a start",
    status: "published",
    published_at: "2013-01-02T10:20:00.000Z",
    tags: ["green", "hot water"],
    summary: "How it began",
  });
  expect(posts["first-tea"].category.name).toBe("Drinks");
  expect(posts["first-tea"].content.source).toBe("With *water*.");
  expect(posts.later).toMatchObject({ title: "Not yet", status: "draft" });
  expect(posts.empty).toMatchObject({ title: "Nothing yet", status: "draft" });
  expect(posts.hidden).toMatchObject({ title: "By its address", status: "draft" });
  expect(posts.prose.content.source).toStartWith("Date: as agreed");
  expect(posts.note.content.source).toStartWith("Note: this is no header.");
});
