import { expect, test } from "bun:test";
import { excerpt } from "../../src/posts/content/plain-text-and-excerpts";
import { startPlaten } from "../support/platen";
import { page, post } from "./posting";

test("a short text stays the same, on one line", () => {
  expect(excerpt("  One\n\n two ", 7)).toBe("One two");
});

test("a longer text is cut after a complete word, without a comma", () => {
  expect(excerpt("One, two, three", 10)).toBe("One, two…");
});

test("list items and lines are separated; sentences of a paragraph are joined", async () => {
  const at = startPlaten();
  const list = "<p>Bring:</p><ul><li>bread</li><li>milk (two)</li><li>tea</li></ul>";
  await post(at, { title: "List", content: `${list}<p>All of it.</p><p>Thanks<br>Ada</p>` });
  const shown = "Bring: bread · milk (two) · tea · All of it. Thanks · Ada";
  expect(await page(at, "/")).toContain(`<p class="p-summary">${shown}</p>`);
  expect(await page(at, "/list")).toContain(`<meta name="description" content="${shown}">`);
  expect(excerpt("One · two · three", 8)).toBe("One…");
});

test("a single long word is cut, but never inside an emoji", () => {
  expect(excerpt("🦊".repeat(20), 5)).toBe(`${"🦊".repeat(5)}…`);
});

const ESSAY = `# A heading

| a | table |
|---|-------|
| x | cells |

~~~js
const code = 1;
~~~

That is *it*.[^1] Use \`sort\` & "quotes" < here.

[^1]: A note.
`;

test("excerpts begin with the first prose: no heading, table, code or footnote", async () => {
  const at = startPlaten();
  await post(at, { title: "Essay", content: ESSAY, content_type: "markdown" });
  const prose = 'That is it. Use sort & "quotes" < here.';
  const shown = "That is it. Use sort &amp; &quot;quotes&quot; &lt; here.";
  expect(await page(at, "/")).toContain(`<p class="p-summary">${shown}</p>`);
  expect(await page(at, "/essay")).toContain(`<meta name="description" content="${shown}">`);
  expect(JSON.parse(await page(at, "/feed.json")).items[0].summary).toBe(prose);
  expect(await page(at, "/feed.atom")).toContain(`<summary>${shown}</summary>`);
});

test("plain text in an RSS description is escaped once more, because readers expect HTML", async () => {
  const at = startPlaten();
  await post(at, { title: "Signs", content: "a < b & c", content_type: "markdown" });
  expect(await page(at, "/feed.xml")).toContain("<description>a &amp;lt; b &amp;amp; c</description>");
});

test("a post without prose is described by its other text", async () => {
  const at = startPlaten();
  await post(at, { title: "Code", content: "<pre><code>let it = be</code></pre>" });
  expect(await page(at, "/")).toContain('<p class="p-summary">let it = be</p>');
});
