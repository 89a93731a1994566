import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Node, parse } from "acorn";
import { Glob } from "bun";
import { sanitizePostHtml } from "../../../src/posts/content/allowed-html";
import { renderSource } from "../../posts/content/rendered";
import { CHECKOUT } from "../../support/source";

/** All HTML and Markdown in the tests of post content. */
const TESTS = ["posts", "api", "site", "micropub", "media", "support"];
/** Maximum length in characters: longer texts add no cases. */
const MAX_LENGTH = 4_000;

/** HTML of posts: sources in tests, and their sanitized and rendered forms. */
export function corpus(): string[] {
  const texts = TESTS.flatMap((folder) =>
    [...new Glob("**/*.ts").scanSync(join(CHECKOUT, "test", folder))].flatMap((path) =>
      textsIn(join(CHECKOUT, "test", folder, path)),
    ),
  );
  const found = new Set([...texts, ...PIECES].flatMap((text) => [text, ...renderedForms(text)]));
  return [...found].filter((text) => text.trim() !== "" && text.length < MAX_LENGTH);
}

function renderedForms(text: string): string[] {
  const forms = [sanitizePostHtml(text).html];
  for (const type of ["html", "markdown"] as const) {
    try {
      forms.push(renderSource(text, type).html);
    } catch {
      // Some sources are tests of rejected content.
    }
  }
  return forms.filter((form) => !form.includes("\u001A"));
}

function textsIn(path: string): string[] {
  const source = new Bun.Transpiler({ loader: "ts" }).transformSync(readFileSync(path, "utf8"));
  const texts: string[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, value } = node as Node & { value?: unknown };
    if (type === "Literal" && typeof value === "string") texts.push(value);
    if (type === "TemplateElement") texts.push((value as { cooked: string }).cooked);
    for (const child of Object.values(node)) if (typeof child === "object") walk(child);
  };
  walk(parse(source, { ecmaVersion: "latest", sourceType: "module" }));
  return texts.filter((text) => /<[a-z]|\n[-*#>|] ?/.test(text) && !/^\s*(import|const|\(async)/.test(text));
}

const ATTACHMENT =
  '<action-text-attachment sgid="s" content-type="image/png" filename="f.png" caption=""></action-text-attachment>';

/** Elements of Platen's HTML, one each. */
export const PIECES = [
  '<p><abbr title="HyperText">x</abbr></p>',
  "<p><kbd>x</kbd><kbd>y</kbd></p>",
  "<p><sup>x</sup><sub>y</sub></p>",
  "<p><del>x</del> <s>y</s> <ins>z</ins></p>",
  '<p><cite>x</cite> <q cite="/a">y</q> <small>z</small></p>',
  '<p><span class="u-photo">x</span></p>',
  '<p><a href="/a" rel="me nofollow">x</a> <a class="u-url" href="/b" title="t">y</a> <a id="fn-x">z</a></p>',
  '<p lang="de" dir="ltr">x</p>',
  '<p><time datetime="2026-01-01">x</time></p>',
  "<p><ruby>x<rp>(</rp><rt>y</rt><rp>)</rp></ruby></p>",
  '<h1>x</h1><h5>y</h5><h6 lang="fr">z</h6>',
  "<dl><dt>x</dt><dd>y</dd></dl>",
  '<figure><img src="/a.jpg" alt="A" /><figcaption>x</figcaption></figure>',
  '<p><img src="https://e.org/a.jpg" alt="A" /></p>',
  '<p>a <img src="https://e.org/a.jpg" alt="A" /> b</p>',
  '<video controls src="/v.mp4" poster="/p.jpg"></video>',
  '<audio controls src="/a.mp3"></audio>',
  '<iframe src="https://www.youtube-nocookie.com/embed/abcdefghijk" width="560" height="315" allowfullscreen loading="lazy"></iframe>',
  '<iframe src="https://player.vimeo.com/video/123"></iframe>',
  "<details open><summary>x</summary><p>y</p></details>",
  "<details><p>no title</p></details>",
  "<aside><p>x</p></aside>",
  '<aside class="callout">x <b>y</b></aside>',
  '<aside class="callout"><p>x</p><ul><li>y</li></ul></aside>',
  `<div class="bookmark">${ATTACHMENT}<p><a href="https://e.org/">T</a></p><p>D &amp; d</p><p><cite>e.org</cite></p></div>`,
  '<div class="bookmark"><p><a href="https://e.org/">T</a></p></div>',
  '<div class="bookmark"><p><a href="https://e.org/"><em>T</em></a></p></div>',
  `<figure class="player">${ATTACHMENT}<details><summary>T</summary><iframe src="https://player.vimeo.com/video/123" title="T"></iframe></details></figure>`,
  '<ol start="5"><li>x</li></ol>',
  '<ol reversed type="a"><li value="3">x</li></ol>',
  "<ul><li>a<ul><li>b</li></ul></li></ul>",
  "<ul><li><p>a</p></li><li><p>b</p><p>c</p></li></ul>",
  '<ul class="contains-task-list"><li class="task-list-item"><input type="checkbox" checked disabled> x</li></ul>',
  '<ul>\n<li><input checked disabled type="checkbox" /> a</li>\n<li><input disabled type="checkbox" /> b</li>\n</ul>',
  '<ul><li><input type="checkbox" disabled> a</li><li>b</li></ul>',
  '<table><tr><td colspan="2" style="text-align:right">x</td></tr></table>',
  '<table><caption>c</caption><colgroup><col span="2"></colgroup><thead><tr><th scope="col">h</th><th>i</th></tr></thead><tbody><tr><td rowspan="2">x</td><td>y</td></tr><tr><td><p>z</p></td></tr></tbody><tfoot><tr><td>f</td><td>g</td></tr></tfoot></table>',
  "<p><code>x</code> <strong><code>y</code></strong></p>",
  '<pre><code class="language-ruby">puts 1\n  puts 2\n</code></pre>',
  "<pre>\n\nx  y\n z</pre>",
  '<blockquote>x</blockquote><blockquote cite="/a"><p>y</p><blockquote><p>z</p></blockquote></blockquote>',
  '<p>a<sup class="footnote-ref"><a id="fnref-k-1" href="#fn-k-1">1</a></sup></p>\n<section class="footnotes"><ol>\n<li id="fn-k-1"><p>n <a class="footnote-backref" href="#fnref-k-1">↩\uFE0E</a></p></li>\n</ol></section>\n',
  '<p>a<a href="#fn-1"><sup class="footnote-ref">1</sup></a></p><section class="footnotes"><ol><li id="fn-1">n</li></ol></section>',
  "<p>a<br />b<br>\nc</p>",
  "<p>a</p><hr /><p>b</p>",
  "<p><mark>x</mark> <u>y</u> <b>z</b> <i>i</i></p>",
  "<p><em>a</em> <i>b</i> <b>c</b> <em><strong>d</strong></em> <strong><em>e</em></strong> <em>f<strong>g</strong></em></p>",
  `<p>x ${ATTACHMENT} y</p>`,
  `<p>${ATTACHMENT}</p>`,
  `${ATTACHMENT}\n${ATTACHMENT}`,
  '<action-text-attachment sgid="s" content-type="video/mp4" filename="v.mp4" caption="C" url="/v.mp4" poster="/p.jpg"/><p>x</p>',
  '<action-text-attachment sgid="s"><p>after</p>',
  `<div class="attachment-gallery attachment-gallery--2">${ATTACHMENT}${ATTACHMENT}</div>`,
  `<ul><li>x${ATTACHMENT}</li></ul>`,
  "<div>one<br><br>two <strong>three</strong></div>",
  "<div><p>one</p><p>two</p></div>",
  "text <em>alone</em>\n\nand more<p>then this</p>",
  "<p>one<p>two<ul><li>a<li>b</ul>",
  "<!-- wp:paragraph -->\n<p>x</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:list -->\n<ul><li>y</li></ul>\n<!-- /wp:list -->",
  "<p>&nbsp;&amp;&lt;&#8217;&copy; \u00A0</p>",
  "<p></p><p> </p><p>\n</p>",
  '<p style="margin:0">x</p><p class="note" onclick="x()">y</p><script>alert(1)</script>',
  "<p>a</p>\r\n<p>b\r\nc</p>\r\n",
  "</p>x</div>",
  "<p>unclosed <strong>here",
  "",
];

/** HTML with unbalanced tags, which browsers repair when it is edited. */
export const MENDED = [
  "<p>one<p>two<ul><li>a<li>b</ul>",
  "</p>x</div>",
  "<p>unclosed <strong>here",
  '<p style="margin:0">x</p><p class="note" onclick="x()">y</p><script>alert(1)</script>',
];
