import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/temporary";
import { createFolder, startTransfer } from "./start-transfer";

const summaryAndPin = (post: { summary: string | null; pinned: boolean }) => [post.summary, post.pinned];

describe("an import keeps summaries and pinned posts", () => {
  test("from front matter; a long summary is cut after a word and reported", async () => {
    await using at = await startTransfer();
    const long = `Begins ${"and goes on ".repeat(60)}`;
    const text = (more: string) => `---\ntitle: A\ndate: 2020-01-02\n${more}\n---\nThe text begins.\n`;
    const folder = await createFolder(null, {
      "hugo.toml": "title = 'Old'\n",
      "content/posts/one.md": text("description: In short\npinned: true"),
      "content/posts/two.md": text("Summary: For lists\ndescription: For engines"),
      "content/posts/three.md": text(`excerpt: ${long}`),
      "content/posts/four.md": text("tags: [tea]"),
    });
    for (const more of [["--dry-run"], []]) {
      const { stdout } = await at.importFrom("markdown", folder, ...more);
      expect(stdout).toContain("1 × descriptions of posts that have a summary");
      expect(stdout).toContain("1 × the end of summaries over 500 characters");
      expect(stdout).not.toContain("beginning of the text");
    }
    const { one, two, three, four } = await at.posts();
    expect([summaryAndPin(one), summaryAndPin(two), summaryAndPin(four)]).toEqual([
      ["In short", true],
      ["For lists", false],
      [null, false],
    ]);
    expect(three.summary).toMatch(/^Begins (?:and goes on ){30,}.*\b(?:and|goes|on)…$/);
    expect(three.summary.length).toBeLessThanOrEqual(500);
  });

  test("from WordPress, Ghost, Bear and a blog archive, but not from other feeds", async () => {
    await using at = await startTransfer();
    const item = `<item><title>Words</title><link>https://old.example/words/</link><content:encoded>Text</content:encoded>
<excerpt:encoded><![CDATA[Tea &amp; <b>cake</b>]]></excerpt:encoded><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type>
<wp:status>publish</wp:status><wp:is_sticky>1</wp:is_sticky></item>`;
    const wxr = `<rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version>${item}</channel></rss>`;
    const ghost = { title: "Spirit", slug: "spirit", html: "<p>Boo</p>", status: "published" };
    const posts = [{ id: 1, ...ghost, custom_excerpt: "Of fog", featured: 1 }];
    const bear = `uid,title,slug,published date,all tags,publish,make discoverable,is page,content,meta description
abc,Paw,paw,2021-03-04T05:06:07+00:00,[],True,True,False,x,In the woods
`;
    const feed = (slug: string) =>
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        items: [
          { id: slug, url: `https://old.example/${slug}`, content_html: "<p>Long</p>", summary: "Short" },
        ],
      });
    for (const [format, files] of [
      ["wordpress", { "a.xml": wxr }],
      ["ghost", { "ghost.json": JSON.stringify({ db: [{ meta: { exported_on: 1 }, data: { posts } }] }) }],
      ["bear", { "posts.csv": bear }],
      ["bar", { "feed.json": feed("archived"), "index.html": "<p>Long</p>" }],
      ["feed", { "old.json": feed("fed") }],
    ] as const) {
      const { stdout, code } = await at.importFrom(format, await createFolder(null, files), "--no-fetch");
      expect([format, code, stdout.includes("excerpt"), stdout.includes("descriptions")]).toEqual([
        format,
        0,
        false,
        false,
      ]);
    }
    const all = await at.posts();
    expect(["words", "spirit", "paw", "archived", "fed"].map((slug) => summaryAndPin(all[slug]))).toEqual([
      ["Tea & cake", true],
      ["Of fog", true],
      ["In the woods", false],
      ["Short", false],
      [null, false],
    ]);
  });
});

test.each(["platen", "markdown", "wordpress", "bar"])("of an export as %s", async (format) => {
  await using from = await startTransfer();
  const full = {
    title: "Tea",
    content: "<p>Water first.</p>",
    summary: `${"<b> & é ".repeat(62)}end.`,
    pinned: true,
    series: "Hot drinks",
  };
  for (const post of [full, { title: "Plain", content: "<p>Nothing more.</p>" }])
    await from.api("/posts", "POST", { post: { status: "published", ...post } });
  const { tea } = await from.posts();
  expect(tea.summary).toHaveLength(500);
  await from.api(`/posts/${tea.id}`, "PATCH", { post: { title: "Green tea" } });
  const place = join(temporaryFolder("summaries"), format === "wordpress" ? "wxr" : "garden.zip");
  const ended = await from.platen("export", format, place, "--blog", "garden");
  expect(ended.code).toBe(0);
  expect(ended.stdout.includes("1 × pins of posts, which the format does not have")).toBe(format === "bar");
  await using to = await startTransfer();
  expect((await to.importFrom(format, place, "--no-fetch")).code).toBe(0);
  const after = await to.posts();
  expect(summaryAndPin(after.tea)).toEqual([full.summary, format !== "bar"]);
  expect(after.tea.series).toBe(["platen", "markdown"].includes(format) ? "Hot drinks" : null);
  expect(ended.stdout.includes("series of posts")).toBe(after.tea.series === null);
  expect(summaryAndPin(after.plain)).toEqual([null, false]);
});
