import { expect, test } from "bun:test";
import { excerpt } from "../../src/posts/content/plain-text";
import { startPlaten } from "../support/platen";
import { page, post } from "./posting";

test("a short text stays as it is, on one line", () => {
  expect(excerpt("  One\n\n two ", 7)).toBe("One two");
});

test("a longer one ends with a whole word and no stray comma", () => {
  expect(excerpt("One, two, three", 10)).toBe("One, two…");
});

test("items of a list stay apart in summaries, as do lines without a full stop; sentences follow each other", async () => {
  const at = startPlaten();
  const list = "<p>Bring:</p><ul><li>bread</li><li>milk (two)</li><li>tea</li></ul>";
  await post(at, { title: "List", content: `${list}<p>All of it.</p><p>Thanks<br>Ada</p>` });
  const shown = "Bring: bread · milk (two) · tea · All of it. Thanks · Ada";
  expect(await page(at, "/")).toContain(`<p class="p-summary">${shown}</p>`);
  expect(await page(at, "/list")).toContain(`<meta name="description" content="${shown}">`);
  expect(excerpt("One · two · three", 8)).toBe("One…");
});

test("a single long word is cut in the middle, and never inside an emoji", () => {
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

test("excerpts and descriptions begin with the first prose: no heading, table, code, note or its mark", async () => {
  const at = startPlaten();
  await post(at, { title: "Essay", content: ESSAY, content_type: "markdown" });
  const prose = 'That is it. Use sort & "quotes" < here.';
  const shown = "That is it. Use sort &amp; &quot;quotes&quot; &lt; here.";
  expect(await page(at, "/")).toContain(`<p class="p-summary">${shown}</p>`);
  expect(await page(at, "/essay")).toContain(`<meta name="description" content="${shown}">`);
  expect(JSON.parse(await page(at, "/feed.json")).items[0].summary).toBe(prose);
  expect(await page(at, "/feed.atom")).toContain(`<summary>${shown}</summary>`);
});

test("an RSS description is HTML to those that read it: what was plain text is escaped once more", async () => {
  const at = startPlaten();
  await post(at, { title: "Signs", content: "a < b & c", content_type: "markdown" });
  expect(await page(at, "/feed.xml")).toContain("<description>a &amp;lt; b &amp;amp; c</description>");
});

test("what has no prose at all is told by the text it has", async () => {
  const at = startPlaten();
  await post(at, { title: "Code", content: "<pre><code>let it = be</code></pre>" });
  expect(await page(at, "/")).toContain('<p class="p-summary">let it = be</p>');
});
