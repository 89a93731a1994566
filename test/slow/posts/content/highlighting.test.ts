import { expect, test } from "bun:test";
import { highlightCode } from "../../../../src/posts/content/highlighting";
import { renderSource as plain } from "../../../posts/content/rendered";

const rendered = (source: string, type: "html" | "markdown" = "html") => {
  const { html, text } = plain(source, type);
  return { html: highlightCode(html), text };
};

test("code with a language is highlighted, and its text is unchanged", () => {
  const { html, text } = rendered("```js\nconst a = '<b>' + \"x\" & 1; // it's\n```", "markdown");
  expect(html).toContain('<span class="hljs-keyword">const</span>');
  expect(html).toContain("<span class=\"hljs-string\">'&lt;b&gt;'</span>");
  expect(html).toContain('<span class="hljs-comment">// it\'s</span>');
  expect(text).toBe("const a = '<b>' + \"x\" & 1; // it's");
});

test("code without a known language is not highlighted", () => {
  for (const source of [
    "<pre><code>if (a) b</code></pre>",
    '<pre><code class="language-zzz">if</code></pre>',
  ])
    expect(rendered(source).html).toBe(source);
  expect(rendered("`const a`", "markdown").html).not.toContain("hljs");
});

test("highlighted content sent back stays the same", () => {
  const source =
    '```ts\nconst a: Map<string, "x"> = new Map(); // &amp; \'\n```\n\n```python\ndef f(x): return "<"\n```';
  const once = rendered(source, "markdown").html;
  expect(once).toContain("hljs-");
  expect(rendered(once).html).toBe(once);
});

test("content cannot add highlighting classes or markup to code", () => {
  const sent = '<p class="hljs-keyword">a</p><pre><code class="language-js"><b>const</b> a</code></pre>';
  expect(rendered(sent).html).toBe('<p>a</p><pre><code class="language-js"><b>const</b> a</code></pre>');
});

test("code that is slow to highlight stays plain if it is long, and nothing is lost", () => {
  for (const long of [
    `<pre><code class="language-js">${"let a\n".repeat(2000)}</code></pre>`,
    `<pre><code class="language-markdown">${"[a](".repeat(20_000)}</code></pre>`,
  ])
    expect(rendered(long).html).toBe(long);
  const cubic = `${"a b ".repeat(120)}\n`.repeat(20);
  const { text } = rendered(`<pre><code class="language-csharp">${cubic}</code></pre>`.repeat(3));
  expect(text.match(/a b/g)).toHaveLength(3 * 20 * 120);
});
