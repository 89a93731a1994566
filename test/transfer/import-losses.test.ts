import { expect, test } from "bun:test";
import { join } from "node:path";
import { createFolder, jpeg, startTransfer } from "./start-transfer";
import { zipped } from "./zipped";

const fileOf = async (name: string, content: string | Uint8Array) =>
  join(await createFolder(null, { [name]: content }), name);

/** Losses in a report, with counts. */
const lossesIn = (stdout: string) =>
  [...stdout.matchAll(/^ {2}(\d+ × .*)$/gm)].map(([, line]) => line).toSorted();

test("WordPress columns and frames are converted; what cannot be shown is reported", async () => {
  await using at = await startTransfer();
  const post = (id: number, text: string) =>
    `<item><title>Post ${id}</title><link>https://old.example/post-${id}/</link><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><content:encoded><![CDATA[${text}]]></content:encoded></item>`;
  const columns = `<!-- wp:columns --><div class="wp-block-columns"><!-- wp:column --><div class="wp-block-column" style="flex-basis:50%"><!-- wp:paragraph --><p>Left</p><!-- /wp:paragraph --></div><!-- /wp:column --><!-- wp:column --><div class="wp-block-column"><!-- wp:group --><div class="wp-block-group"><p>Right</p></div><!-- /wp:group --></div><!-- /wp:column --></div><!-- /wp:columns -->
<!-- wp:latest-posts {"postsToShow":3} /--><!-- wp:jetpack/contact-form /--><!-- wp:spacer {"height":"5px"} /-->
<!-- wp:html --><iframe src="//www.youtube.com/embed/dQw4w9WgXcQ?feature=oembed"></iframe><iframe src="https://maps.example/embed?q=1&z=2" title="The hill"></iframe><form><input type="text"><button>Go</button></form><!-- /wp:html -->`;
  const wxr = `<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"><channel><wp:wxr_version>1.2</wp:wxr_version>
${post(20, 'Hear:\n\n[playlist ids="2"]')}${post(22, columns)}</channel></rss>`;
  const file = await fileOf("old.xml", wxr);
  const look = await at.importFrom("auto", file, "--no-fetch", "--dry-run");
  const { stdout } = await at.importFrom("auto", file, "--no-fetch");
  expect(lossesIn(stdout)).toEqual(
    expect.arrayContaining([
      "1 × the block latest-posts, whose content WordPress generates",
      "1 × the block jetpack/contact-form, whose content WordPress generates",
      "1 × <form>, which posts cannot contain",
      "1 × <button>, which posts cannot contain",
      "1 × the shortcode [playlist], which stays unchanged",
    ]),
  );
  expect(lossesIn(stdout).join()).not.toMatch(/spacer|iframe|Elements/);
  expect(lossesIn(look.stdout)).toEqual(lossesIn(stdout));
  const { "post-22": side } = await at.posts();
  expect(side.content.html).toStartWith("<p>Left</p><p>Right</p>");
  expect(side.content.html).not.toContain("<div");
  expect(side.content.html).toContain('src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"');
  expect(side.content.html).toContain('<a href="https://maps.example/embed?q=1&amp;z=2">The hill</a>');
});

test("a Ghost product card keeps picture, name, text and link; a sign-up form is reported", async () => {
  await using at = await startTransfer();
  const html = `<div class="kg-card kg-product-card"><div class="kg-product-card-container"><img src="__GHOST_URL__/content/images/2022/pot.jpg" width="60" height="40" class="kg-product-card-image" loading="lazy"><div class="kg-product-card-title-container"><h4 class="kg-product-card-title"><span>A tea pot</span></h4></div><div class="kg-product-card-description"><p dir="ltr">Holds a <b>litre</b></p></div><a href="https://shop.example/pot" class="kg-product-card-button kg-product-card-btn-accent" target="_blank"><span>Look at it</span></a></div></div><div class="kg-card kg-signup-card"><form><input></form></div>`;
  const posts = [
    { id: "1", slug: "pot", title: "Pot", status: "published", published_at: "2022-01-01T00:00:00Z", html },
  ];
  const archive = zipped([
    { path: "ghost.json", content: JSON.stringify({ db: [{ data: { posts } }] }) },
    { path: "content/images/2022/pot.jpg", content: await jpeg() },
  ]);
  const { stdout } = await at.importFrom("auto", await fileOf("ghost.zip", archive), "--no-fetch");
  expect(stdout).toContain("Imported 1 post, 0 pages, 0 komments, 1 file.");
  expect(lossesIn(stdout)).toEqual(["1 × signup forms"]);
  const { pot } = await at.posts();
  expect(pot.content.html).toMatch(
    /<figure.*pot\.jpg.*<\/figure>.*A tea pot.*<p dir="ltr">Holds a <b>litre<\/b><\/p>.*<a href="https:\/\/shop\.example\/pot">.*Look at it/s,
  );
});

test("Substack galleries, formulas and links are converted; polls and videos are reported", async () => {
  await using at = await startTransfer();
  const attributes = (known: object) => Bun.escapeHTML(JSON.stringify(known));
  const original = (name: string) => `https://substack-post-media.s3.amazonaws.com/public/images/${name}`;
  const gallery = {
    images: [{ type: "image/jpeg", src: original("a.jpg") }, { src: original("b.jpg") }],
    caption: "Two & two",
    alt: "",
  };
  const html = `<p>Here.</p><div class="image-gallery-embed" data-attrs="${attributes({ gallery, isEditorNode: true })}"></div>
<div class="poll-embed" data-attrs="${attributes({ id: 12 })}" data-component-name="PollToDOM"></div><div class="poll-embed" data-attrs="${attributes({ id: 13 })}"></div>
<div class="native-video-embed" data-component-name="VideoPlaceholder" data-attrs="${attributes({ mediaUploadId: "b66aaef5", duration: null })}"></div>
<div class="native-audio-embed" data-attrs="${attributes({ mediaUploadId: "c7" })}"></div>
<div class="latex-rendered" data-attrs="${attributes({ persistentExpression: "a < b^2", id: "X" })}"></div>
<div class="instagram" data-attrs="${attributes({ instagram_id: "Cx_1-a", title: "By the sea" })}"></div>
<picture><source type="image/webp" srcset="x 1w"><img src="${original("gone.jpg")}" alt=""></picture>
<div class="something-new" data-attrs="${attributes({ a: 1 })}"></div><div class="captioned-image-container" data-attrs="{}"><p>Words</p></div>`;
  const table =
    "post_id,post_date,is_published,type,audience,title,subtitle\n1.one,2022-01-02T03:04:05.000Z,true,newsletter,everyone,One &amp; all,\n";
  const archive = zipped([
    { path: "posts.csv", content: table },
    { path: "posts/1.one.html", content: html },
  ]);
  const media = await createFolder(null, { "a.jpg": await jpeg(), "b.jpg": await jpeg() });
  const file = await fileOf("sub.zip", archive);
  const look = await at.importFrom("auto", file, "--no-fetch", "--media", media, "--dry-run");
  const { stdout } = await at.importFrom("auto", file, "--no-fetch", "--media", media);
  expect(lossesIn(stdout)).toEqual([
    "1 × Substack embeds: something-new",
    "1 × audio uploaded to Substack: not in its export",
    "1 × videos uploaded to Substack: not in its export",
    "2 × polls",
  ]);
  expect(lossesIn(look.stdout)).toEqual(lossesIn(stdout));
  const { one } = await at.posts();
  expect(stdout).toContain(`${original("gone.jpg")} (in One & all)`);
  expect(one.content.html).toContain(`<img src="${original("gone.jpg")}"`);
  expect(one.content.html.match(/<figure/g)).toHaveLength(2);
  expect(one.content.html).toMatch(/a\.jpg.*b\.jpg.*<p>Two &amp; two<\/p>/s);
  expect(one.content.html).toMatch(/<pre><code class="language-latex">.*a &lt; b.*<\/code><\/pre>/);
  expect(one.content.html).toContain('<a href="https://www.instagram.com/p/Cx_1-a/">By the sea</a>');
  expect(one.content.text).toContain("Words");
});

test("Obsidian callouts, highlights and comments are converted, and code stays the same", async () => {
  await using at = await startTransfer();
  const note = `First ==marked *words*== and a == b, \`==code==\`.

> [!warning] Mind the step
> It is **high**.

> [!tip]-
> Folded.

> > [!note]
> > Inside

%% nobody sees this %%Shown. 50%% off, 20%% on.

\`\`\`
> [!note] not here
%% nor here %%
\`\`\``;
  const { stdout } = await at.importFrom("markdown", await createFolder(null, { "A note.md": note }));
  expect(lossesIn(stdout)).toEqual([
    "1 × comments between %%",
    "1 × missing dates (the import date is used)",
  ]);
  const { content } = (await at.posts())["a-note"];
  expect(content.html).toContain(
    "First <mark>marked <em>words</em></mark> and a == b, <code>==code==</code>.",
  );
  expect(content.html).toMatch(
    /<aside class="callout">\s*<p><strong>Mind the step<\/strong><\/p>\s*<p>It is <strong>high<\/strong>\.<\/p>\s*<\/aside>/,
  );
  expect(content.html).toMatch(/<aside class="callout">\s*<p><strong>Tip<\/strong><\/p>\s*<p>Folded\.<\/p>/);
  expect(content.html).toMatch(
    /<blockquote>\s*<aside class="callout">\s*<p><strong>Note<\/strong><\/p>\s*<p>Inside/,
  );
  expect(content.text).not.toContain("nobody sees");
  expect(content.text).toContain("Shown. 50%% off, 20%% on.");
  expect(content.text).toContain("> [!note] not here\n%% nor here %%");
});

test("Substack texts without a table row, and rows without a text, are reported; text for screen readers is removed", async () => {
  await using at = await startTransfer();
  const table = `post_id,post_date,is_published,audience,type,title
1.poem,2022-03-01T10:00:00Z,true,everyone,newsletter,Poem
2.bare,2022-03-01T10:00:00Z,true,everyone,newsletter,Bare`;
  const files = [
    { path: "posts.csv", content: table },
    {
      path: "posts/1.poem.html",
      content:
        '<div><label class="hide-text">Text within this block</label><pre class="text">a\n b</pre></div>',
    },
    { path: "posts/3.other.html", content: "<p>Nobody knows</p>" },
  ];
  const { stdout } = await at.importFrom("auto", await fileOf("x.zip", zipped(files)));
  expect(stdout).toStartWith("Imported 2 posts,");
  expect(lossesIn(stdout)).toEqual(["1 × post content: the export contains only the titles"]);
  expect(stdout).toContain("posts/3.other.html: not listed in posts.csv; skipped.\n");
  const { poem } = await at.posts();
  expect(poem.content.html).toBe("<div><pre>a\n b</pre></div>");
});

test("a Medium text in another script keeps its slug; a repeated title and subtitle are removed", async () => {
  await using at = await startTransfer();
  const text = `<article><h1 class="p-name">Привет</h1><section class="p-summary">It begins
 so…</section><section class="e-content"><p>It  begins so and goes on.</p>${"<p>More of it, and more.</p>".repeat(50)}</section><a class="p-canonical" href="https://medium.com/p/%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82-0123456789ab">x</a></article>`;
  const name = "2019-01-02_---0123456789ab.html";
  const own = text
    .replace("Привет", "Own")
    .replace(/It begins\s+so…/, "so and")
    .replace("%D0", "own-%D0");
  const files = [
    { path: `posts/${name}`, content: text },
    { path: "posts/2019-01-02_Own-0123456789ac.html", content: own },
  ];
  await at.importFrom("medium", await fileOf("x.zip", zipped(files)));
  const posts = await at.posts();
  const { privet } = posts;
  expect(privet.title).toBe("Привет");
  expect(privet.content.html.match(/begins/g)).toHaveLength(1);
  const named = Object.values(posts).find(({ title }) => title === "Own");
  expect(named.content.html).toStartWith("<p><em>so and</em></p>\n<p>It  begins so and goes on.</p>");
});

test("previews and originals of Bear are reported; a heading in a Pagecord text is no comment", async () => {
  await using at = await startTransfer();
  const table = `uid,title,slug,published date,content,canonical url,meta image,first published at
1,Tea,tea,,Text,https://first.example/tea,https://bear.example/a.jpg,2021-05-05 10:00:00+00:00`;
  const { stdout } = await at.importFrom("bear", await fileOf("x.csv", table), "--no-fetch");
  expect(lossesIn(stdout)).toEqual(["1 × canonical URLs", "1 × preview images that are not in the post"]);
  const said = "Text.\n\n## Comments\n\nthat I have.";
  const text = `---\ntitle: "Cup"\npublished: true\npublished_at: 2022-01-01T10:00:00Z\n---\n\n# Cup\n\n${said}\n\n## Comments\n\nBob: Hi\n`;
  const files = [
    { path: "index.md", content: "- [Cup](cup.md)" },
    { path: "cup.md", content: text },
  ];
  await at.importFrom("pagecord", await fileOf("x.zip", zipped(files)));
  const { tea, cup } = await at.posts();
  expect(tea.published_at).toBe("2021-05-05T10:00:00.000Z");
  expect(cup.content.source).toBe(said);
});
