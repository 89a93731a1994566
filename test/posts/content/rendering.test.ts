import { describe, expect, test } from "bun:test";
import type { StoredBlob } from "../../../src/media/files/blobs";
import { plainText } from "../../../src/posts/content/plain-text-and-excerpts";
import { insertBaseUrl } from "../../../src/posts/post/mf2-properties";
import { dice } from "../../support/dice";
import { renderSource } from "./rendered";

const CAT: StoredBlob = {
  id: 1,
  blogId: 1,
  folder: "f",
  filename: "cat.jpg",
  mediaType: "image",
  contentType: "image/jpeg",
  byteSize: 1,
  sha256: "",
  width: 1000,
  height: 500,
  isAnimated: false,
  hasPoster: false,
  placeholder: "",
  caption: "A cat",
  createdAt: new Date(0),
  atStore: null,
  focus: "",
};
const FILM: StoredBlob = {
  ...CAT,
  id: 2,
  folder: "g",
  filename: "film.mp4",
  mediaType: "video",
  caption: "",
};
const BLOBS = new Map([
  ["cat", CAT],
  ["film", FILM],
]);

const render = (source: string, type: "html" | "markdown" = "html", altText: Record<string, string> = {}) =>
  renderSource(source, type, altText, BLOBS);
const aligned = (side: string, text: string) => `<td style="text-align:${side}">${text}</td>`;
const htmlOf = (source: string, type: "html" | "markdown" = "html") => render(source, type).html;
/** HTML with each attachment's figure as [sgid: caption]. */
const outlineOf = (source: string, type: "html" | "markdown" = "html") =>
  htmlOf(source, type)
    .replace(
      /<figure class="attachment[^>]*data-sgid="(\w+)">.*?<\/figure>/g,
      (figure, sgid) => `[${sgid}: ${/<figcaption>(.*)<\/figcaption>/.exec(figure)?.[1] ?? ""}]`,
    )
    .trim();

const snippet = (sgid: string, caption = "") =>
  `<action-text-attachment sgid="${sgid}" content-type="image/jpeg" filename="${sgid}.jpg" caption="${caption}"></action-text-attachment>`;

describe("an attachment", () => {
  test("is rendered as a figure with the file's size and its renditions", () => {
    expect(insertBaseUrl(htmlOf(snippet("cat", "Tom")), "https://blog.test")).toBe(
      '<figure class="attachment attachment-image" data-sgid="cat"><img src="https://blog.test/media/f/cat.jpg" width="1000" height="500" alt="A cat"' +
        ' srcset="https://blog.test/media/f/sizes/480.webp 480w, https://blog.test/media/f/sizes/960.webp 960w, https://blog.test/media/f/cat.jpg 1000w"' +
        ' sizes="(min-width: 38rem) 38rem, 100vw" loading="lazy" decoding="async"><figcaption>Tom</figcaption></figure>',
    );
  });

  test("that is a video gets a player with a poster", () => {
    const html = insertBaseUrl(htmlOf(snippet("film")), "");
    expect(html).toContain('<figure class="attachment attachment-video" data-sgid="film"><video controls');
    expect(html).toContain('src="/media/g/film.mp4" poster="/media/g/sizes/thumb.webp"');
    expect(html).not.toContain("figcaption");
  });

  test.each([
    ["the file's caption if there is no alt text", {}, 'alt="A cat"'],
    ["the post", { "cat.jpg": 'Tom & "Jerry"' }, 'alt="Tom &amp; &quot;Jerry&quot;"'],
    ["the post, even if it is empty", { "cat.jpg": "" }, 'alt=""'],
    ["the file's caption if the name is __proto__", JSON.parse('{"__proto__": "x"}'), 'alt="A cat"'],
  ])("has the alt text of %s", (_, altText, alt) => {
    expect(render(snippet("cat"), "html", altText).html).toContain(alt);
  });

  test.each([
    ["alone in a paragraph", `<p>${snippet("cat")}</p>`, "[cat: ]"],
    ["in the middle of a paragraph", `<p>a${snippet("cat")}b</p>`, "<p>a</p>[cat: ]<p>b</p>"],
    [
      "nested in a paragraph",
      `<p>a<b><i>${snippet("cat")}b</i></b></p>`,
      "<p>a</p>[cat: ]<p><b><i>b</i></b></p>",
    ],
    ["two in one paragraph", `<p>${snippet("cat")} ${snippet("film")}</p>`, "[cat: ][film: ]"],
    ["in a heading", `<h2>a${snippet("cat")}</h2>`, "<h2>a</h2>[cat: ]"],
    [
      "in a quote's paragraph",
      `<blockquote><p>${snippet("cat")}</p></blockquote>`,
      "<blockquote>[cat: ]</blockquote>",
    ],
    ["in a list", `<ul><li>a${snippet("cat")}</li></ul>`, "<ul><li>a[cat: ]</li></ul>"],
    ["in a link", `<a href="/x">${snippet("cat")}</a>`, '<a href="/x">[cat: ]</a>'],
    ["self-closing", '<p>a<action-text-attachment sgid="cat"/>b</p>', "<p>a</p>[cat: ]<p>b</p>"],
    ["not closed", '<p>a<action-text-attachment sgid="cat">b</p><p>c</p>', "<p>a</p>[cat: ]<p>b</p><p>c</p>"],
    ["unclosed at the end", '<action-text-attachment sgid="cat">b', "[cat: ]b"],
    [
      "with the editor's own rendering inside",
      '<action-text-attachment sgid="cat" caption="Tom"><figure class="attachment"><img src="/x"><figcaption>No</figcaption></figure></action-text-attachment>',
      "[cat: Tom]",
    ],
    [
      "with special characters in its caption",
      snippet("cat", "a &gt; &quot;b&quot; <i>"),
      "[cat: a &gt; &quot;b&quot; &lt;i&gt;]",
    ],
  ])("%s", (_, source, outline) => expect(outlineOf(source)).toBe(outline));

  test.each([
    ["on a line of its own", snippet("cat", "a *b* c"), "[cat: a *b* c]"],
    ["in a paragraph", `*a* ${snippet("cat")} b`, "<p><em>a</em> </p>[cat: ]<p> b</p>"],
    ["in a list", `- a\n- ${snippet("cat")}`, "<ul>\n<li>a</li>\n<li>[cat: ]</li>\n</ul>"],
    ["in a quote", `> ${snippet("cat")}`, "<blockquote>\n[cat: ]\n</blockquote>"],
    ["self-closing", 'a <action-text-attachment sgid="cat" /> b', "<p>a </p>[cat: ]<p> b</p>"],
    ["before text", `${snippet("cat")}\n\n# b`, "[cat: ]\n<h1>b</h1>"],
  ])("works in Markdown %s", (_, source, outline) => expect(outlineOf(source, "markdown")).toBe(outline));

  test("in code stays code", () => {
    expect(render(`\`${snippet("cat")}\``, "markdown").blobs).toEqual([]);
  });

  test("is counted once, in order of first appearance", () => {
    const { blobs } = render(snippet("film") + snippet("cat") + snippet("film"));
    expect(blobs.map(({ id }) => id)).toEqual([2, 1]);
  });

  test("of another blog is removed with a warning", () => {
    const { html, blobs, warnings } = render(`<p>${snippet("forged")}</p><p>b</p>`);
    expect(html).toBe("<p>b</p>");
    expect(blobs).toEqual([]);
    expect(warnings).toEqual([
      'The attachment "forged.jpg" was left out: it is not a file of this blog. Upload it to this blog and insert the HTML that the upload returns.',
    ]);
  });

  test("rendered by another blog is removed, and named by its URL", () => {
    const figure =
      '<figure class="attachment" data-sgid="forged"><img src="https://else.test/media/x/a%20dog.jpg"></figure>';
    const { html, warnings } = render(figure);
    expect(html).toBe("");
    expect(warnings[0]).toContain('"a dog.jpg"');
  });

  test("is not found in removed elements", () => {
    expect(render(`<svg>${snippet("cat")}</svg><button>${snippet("cat")}</button>`).blobs).toEqual([]);
  });

  test("cannot be faked by HTML in the content", () => {
    const html = htmlOf('<figure class="attachment attachment-image" id="x"><img src="/a.jpg"></figure>');
    expect(html).toBe('<figure><img src="/a.jpg" /></figure>');
    expect(insertBaseUrl(htmlOf("\u001A0\u001A &#26;0&#x1A; <a href='&#26;/x'>a</a>"), "BASE")).not.toContain(
      "BASE",
    );
  });
});

describe("content sent back as it was returned", () => {
  test.each([
    ["html", `<p>a ${snippet("cat", "Tom &amp; Jerry")} b</p><h2>c</h2>`],
    ["html", `<a href="/x">${snippet("cat")}</a><pre>  a\n\n&lt;b></pre>${snippet("film", "A film")}`],
    ["html", "loose & text <br> <img src=a.jpg alt=''> &nbsp; &amp;amp; <video src=/b.mp4 controls></video>"],
    [
      "markdown",
      `# a\n\n- [x] b\n- ${snippet("cat", "T")}\n\n|a|b|\n|-|:-:|\n|1|2|\n\n\`\`\`js\nlet a\n\`\`\``,
    ],
  ] as const)("is the same (%s: %s)", (type, source) => {
    const once = htmlOf(source, type);
    expect(htmlOf(insertBaseUrl(once, "https://blog.test"))).toBe(once);
  });
});

describe("HTML", () => {
  test.each([
    ["<script>alert(1)</script>a", "a"],
    ['<p onclick="x" style="color:red" class="big" id="main">a</p>', "<p>a</p>"],
    ['<a href="javascript:x">a</a><a href=" java\nscript:x">b</a>', "<a>a</a><a>b</a>"],
    ...["&nbsp;", "&emsp;", "&#x3000;", "&#xFEFF;", "&#x200B;", "&#x2028;", "&#xAD;"].flatMap((unseen) => [
      [`<a href="${unseen}javascript:x">a</a><q cite="java${unseen}script:x">b</q>`, "<a>a</a><q>b</q>"],
      [`<a href="${unseen}https://a.example/b c:d">a</a>`, '<a href="https://a.example/b c:d">a</a>'],
    ]),
    [
      '<a href="mailto:a@b.c">a</a><a href="/b" rel="me">b</a>',
      '<a href="mailto:a@b.c">a</a><a href="/b" rel="me">b</a>',
    ],
    ["<img src=x onerror=alert(1)>", '<img src="x" />'],
    ['<img src="data:image/png;base64,x">a', "a"],
    ["<svg><style><img src=x onerror=alert(1)></style></svg>a", "a"],
    ["<math><mi>x</mi></math>a", "a"],
    ["<form action=/x><input name=a>b</form>", "b"],
    ["<iframe src=https://evil.test/></iframe>a", "a"],
    ["<iframe src=//www.youtube.com/embed/x></iframe>a", "a"],
    [
      '<iframe src="https://www.youtube-nocookie.com/embed/x"></iframe>',
      '<iframe src="https://www.youtube-nocookie.com/embed/x"></iframe>',
    ],
    ['<span class="h-card evil p-name">a</span>', '<span class="h-card p-name">a</span>'],
    ['<code class="language-c++ x">a</code>', '<code class="language-c++">a</code>'],
    ['<sup id="fnref-1"><a href="#fn-1">1</a></sup>', '<sup id="fnref-1"><a href="#fn-1">1</a></sup>'],
    ['<time datetime="2026-01-01">a</time><kbd>b</kbd>', '<time datetime="2026-01-01">a</time><kbd>b</kbd>'],
    ['<table><tr><td align="RIGHT">a</td></tr></table>', `<table><tr>${aligned("right", "a")}</tr></table>`],
    ['<td style="color:red; text-align: center">a</td>', aligned("center", "a")],
    ['<td style="text-align:left;position:fixed" align="right">a</td>', aligned("left", "a")],
    ['<th style="background:url(//evil.test)" align="char">a</th>', "<th>a</th>"],
    ["<p>a<p>b<i>c", "<p>a</p><p>b<i>c</i></p>"],
    ["</div></p>a<!-- b -->", "a"],
    ["<p dir=rtl lang=he>a</p>", '<p dir="rtl" lang="he">a</p>'],
    ["a\0b\uD800c\u0007", "abc"],
  ])("%j becomes %j", (source, html) => expect(htmlOf(source)).toBe(html));
});

describe("Markdown", () => {
  test.each([
    ["# a *b*", "<h1>a <em>b</em></h1>"],
    ["~~a~~ <u>b</u>", "<p><del>a</del> <u>b</u></p>"],
    ["```js\na < b\n```", '<pre><code class="language-js">a &lt; b\n</code></pre>'],
    ["- [x] a", '<ul>\n<li><input checked disabled type="checkbox" /> a</li>\n</ul>'],
    ["[a](javascript:x) <script>x</script>", "<p><a>a</a> </p>"],
    ["", ""],
  ])("%j becomes %j", (source, html) => expect(htmlOf(source, "markdown").trim()).toBe(html));
});

describe("the plain text", () => {
  test.each([
    ["<h1>a</h1><p>b  <b>c</b>\n d</p><ul><li>e</li><li>f</li></ul>", "a\nb c d\ne\nf"],
    ["<p>a<br>b</p>", "a\nb"],
    ["<div><p> a </p> </div> <p></p> b ", "a\nb"],
    ["<pre>a\n  b\n\nc</pre>d", "a\n  b\n\nc\nd"],
    ["<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"],
    ["a &amp; &lt;b&gt; &#233;&nbsp;c", "a & <b> é\u00a0c"],
    ["<script>a</script><style>b</style><video src=/x>c</video>d", "d"],
    [`<p>a</p>${snippet("cat", "Tom")}<p>b</p>`, "a\nTom\nb"],
  ])("of %j is %j", (source, text) => expect(render(source).text).toBe(text));
});

test("a Markdown table that is too large is rejected in one sentence", () => {
  const row = `${"|a".repeat(150)}|\n`;
  const table = `${row}${"|-".repeat(150)}|\n${row.repeat(150)}`;
  expect(() => renderSource(table, "markdown")).toThrow(
    /^content must not contain a table with more than 20000 cells \(columns × rows\)\.$/,
  );
});

test("deep nesting is flattened, and its text kept", () => {
  const { html, text } = render(`${"<div>".repeat(300)}deep`);
  expect(html.match(/<div>/g)?.length).toBe(256);
  expect(text).toBe("deep");

  const quotes = render(`${"> ".repeat(60)}deep`, "markdown");
  expect(quotes.html.match(/<blockquote>/g)?.length).toBe(50);
  expect(quotes.text).toContain("deep");
});

describe("a footnote in Markdown", () => {
  const TEXT = "Tea[^b] and tea[^a], tea[^b].\n\n[^a]: *Green*.\n[^b]: Black.\n\n    For long.\n";

  test("is shown below the text, numbered in order, with links both ways", () => {
    const html = htmlOf(TEXT, "markdown");
    const outline = html.replaceAll(/-[0-9a-f]{8}-/g, "-");
    expect(outline).toBe(
      '<p>Tea<sup class="footnote-ref"><a id="fnref-1" href="#fn-1">1</a></sup>' +
        ' and tea<sup class="footnote-ref"><a id="fnref-2" href="#fn-2">2</a></sup>,' +
        ' tea<sup class="footnote-ref"><a id="fnref-1-2" href="#fn-1">1</a></sup>.</p>\n' +
        '<section class="footnotes"><ol>\n' +
        '<li id="fn-1"><p>Black.</p>\n<p>For long.' +
        ' <a class="footnote-backref" href="#fnref-1">↩\uFE0E</a> <a class="footnote-backref" href="#fnref-1-2">↩\uFE0E</a></p></li>\n' +
        '<li id="fn-2"><p><em>Green</em>. <a class="footnote-backref" href="#fnref-2">↩\uFE0E</a></p></li>\n' +
        "</ol></section>\n",
    );
  });

  test("has the same HTML each time, also when sent back", () => {
    const html = htmlOf(TEXT, "markdown");
    expect(htmlOf(TEXT, "markdown")).toBe(html);
    expect(htmlOf(html)).toBe(html);
  });

  test("has ids that are unique among posts on one page", () => {
    const idsIn = (source: string) =>
      [...htmlOf(source, "markdown").matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
    const ids = [...idsIn("One.[^1]\n\n[^1]: 1"), ...idsIn("Two.[^1]\n\n[^1]: 2")];
    expect(new Set(ids).size).toBe(4);
  });

  test("may have any label, which is not shown", () => {
    const html = htmlOf('Tea[^ärger "><b>].\n\n[^ärger "><b>]: Why.', "markdown");
    expect(html).toContain(">1</a></sup>.</p>");
    expect(html).not.toMatch(/rger|<b>/);
  });

  test("without a definition, or in code, is text; an unused definition is removed", () => {
    expect(htmlOf("Tea[^1].", "markdown")).toBe("<p>Tea[^1].</p>\n");
    expect(htmlOf("`[^1]`\n\n[^1]: Why.", "markdown")).toBe("<p><code>[^1]</code></p>\n");
  });

  test("is supported a thousand times, and nested deeply", () => {
    const many = Array.from({ length: 1000 }, (_, number) => `x[^${number}]\n\n[^${number}]: y\n\n`);
    expect(htmlOf(many.join(""), "markdown").match(/<li id=/g)).toHaveLength(1000);
    expect(htmlOf(`Tea[^a].\n\n${"[^a]: ".repeat(500)}x`, "markdown")).toContain("Tea<sup");
  });
});

describe("removed content", () => {
  test("is reported by element name and count", () => {
    const { html, warnings } = render(
      "<p>a<script>1</script><blink>b</blink><blink>c</blink></p><iframe src='https://evil.example'></iframe><form><input name=q></form>",
    );
    expect(html).not.toContain("evil");
    expect(warnings).toEqual([
      "Elements that a post cannot contain were removed: script (1), blink (2), iframe (1), form (1), input (1).",
    ]);
  });

  test("includes scripts in attributes and unsafe URLs; style attributes are removed silently", () => {
    const { html, warnings } = render(
      `<p onclick="a()" style="color:red" class="x">a <a href="javascript:b()" onclick="c()">b</a>
       <a href="ftp://c.example">c</a> <a href="/d">d</a> <a>e</a> <video src="data:f">f</video></p>`,
    );
    expect(html).not.toMatch(/onclick|javascript|ftp|style|data:/);
    expect(warnings).toEqual([
      "Attributes that a post cannot contain were removed: onclick (2), href (2), src (1).",
    ]);
  });

  test("does not include html, head, body, task lists and returned content", () => {
    const { html } = render("- [x] done\n\n| a |\n|---|\n| b |\n\nHi[^1]\n\n[^1]: there", "markdown");
    expect(render(html).warnings).toEqual([]);
    expect(render("<html><head></head><body><p>a</p></body></html>").warnings).toEqual([]);
  });

  test("includes nesting that is too deep", () => {
    expect(render("<b>".repeat(258)).warnings[0]).toContain("b (2)");
  });

  test("is reported briefly for a thousand unknown elements", () => {
    const names = Array.from(
      { length: 1000 },
      (_, number) => `<x${number}${"y".repeat(500)}></x${number}${"y".repeat(500)}>`,
    );
    const { warnings } = render(names.join(""));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.length).toBeLessThan(1000);
  });
});

test("fallback text of video and audio is not in the plain text", () => {
  const source = '<source src="https://a.example/v.mp4" type="video/mp4">';
  for (const media of [
    `<video controls>${source}${source}Too old</video>`,
    `<audio>${source}Too<wbr>old</audio>`,
  ])
    expect(render(`<p>Before</p>${media}<p>After</p>`).text).toBe("Before\nAfter");
});

test("the plain text of random HTML equals that of a parser", () => {
  const { below, pick } = dice(12);
  const pieces = [
    ..."p div h2 ul li ol blockquote pre code em strong a table col tr td th br hr figure figcaption video source audio wbr q"
      .split(" ")
      .flatMap((name) => [
        `<${name}>`,
        `</${name}>`,
        `<${name} class="a b" href="https://a.example/?b&c" title="&lt;i&gt;">`,
      ]),
    snippet("cat", "Tom &amp; Ann"),
    snippet("film"),
    ..."a|b c| |  |\n|\n\n|\t|&amp;|&lt;p&gt;|&nbsp;|&quot;|'|<|>|&|&#39;|&copy;|é|\u00a0|😀".split("|"),
  ];
  for (let post = 0; post < 500; post++) {
    const { html, text } = render(Array.from({ length: below(30) }, () => pick(pieces)).join(""));
    expect(text).toBe(plainText(html));
  }
});
