import { expect, test } from "bun:test";
import { join } from "node:path";
import { FIXTURES, folderWith, jpeg, png, startMoving } from "./moving";

test("a site of Hugo's: three kinds of front matter, bundles, pictures, shortcodes, aliases, permalinks", async () => {
  await using at = await startMoving();
  const folder = await folderWith("hugo", {
    "content/posts/tea/cup.jpg": await jpeg(),
    "static/images/leaf.png": await png(),
  });
  const { stdout } = await at.bring("markdown", folder);
  expect(stdout).toStartWith("Brought 3 posts, 1 page, 0 komments, 2 files.\n1 of them readers do not see");
  expect(stdout).toContain("1 × {{chart}} or {%chart%}, which stays as it is written");
  expect(stdout).toContain("1 × pages of sections (_index.md)");

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
  expect(source).toContain("`![nor here](code.jpg)` {{< chart 3 >}}");
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

test("a site of Jekyll's: dates in names, words as categories, drafts, Liquid, its own time zone and addresses", async () => {
  await using at = await startMoving();
  const folder = await folderWith("jekyll", { "assets/loaf.jpg": await jpeg() });
  const { stdout } = await at.bring("auto", folder);
  expect(stdout).toStartWith("Brought 3 posts, 1 page, 0 komments, 1 file.\n2 of them readers do not see");
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

test("a site of Eleventy's leaves its collections behind; texts without anything above them have a title too", async () => {
  await using at = await startMoving();
  expect((await at.bring("auto", join(FIXTURES, "eleventy"))).stdout).toContain("(permalink: false)");
  expect((await at.bring("auto", join(FIXTURES, "plain"))).stdout).toContain("1 × a date: there was none");
  const { one, "a-walk": walk } = await at.posts();
  expect(one.tags).toEqual(["sea"]);
  expect(walk).toMatchObject({ title: "A walk in the rain", status: "published" });
  expect(walk.content.text).toBe("It rained.");
});
