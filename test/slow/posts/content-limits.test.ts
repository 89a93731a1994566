import { expect, test } from "bun:test";
import { uploadForm } from "../../support/pictures";
import { startPlaten, type TestPlaten } from "../../support/platen";

const save = (at: TestPlaten, content: string, content_type = "markdown", more = {}) =>
  at.api("POST", "/posts", { post: { title: "x", content, content_type, ...more } });

/** Uploads a video of a few bytes: only its header is checked. */
async function upload(at: TestPlaten, filename: string): Promise<string> {
  const head = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex");
  const headers = { authorization: `Bearer ${at.key}` };
  const body = uploadForm(Buffer.concat([head, Buffer.alloc(5000)]), filename);
  const answer = await at.fetch("/api/v1/attachments", { method: "POST", body, headers });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { attachment: { html: string } }).attachment.html;
}

const table = (columns: number, rows: number) =>
  `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${`${"|b".repeat(columns)}|\n`.repeat(rows - 1)}`;
const reference = (address: number, times: number) =>
  `[a]: http://a.example/${"x".repeat(address)}\n\n${"[a] ".repeat(times)}`;

test.each([
  ["a table of 20,000 cells", table(100, 200), "markdown", null],
  ["a table with more cells is rejected", table(100, 201), "markdown", "20000 cells"],
  ["missing cells count", `${table(100, 2)}${"|b|\n".repeat(199)}`, "markdown", "20000 cells"],
  [
    "an embedded picture of any size, which is removed",
    `<p>a</p><img src="data:image/png;base64,${"A".repeat(200_000)}">`,
    "html",
    null,
  ],
  ["a URL linked fifty times", reference(200, 50), "markdown", null],
  ["a long URL linked two thousand times is rejected", reference(2000, 2000), "markdown", "3 MB of HTML"],
] as const)("%s", async (_, content, type, fault) => {
  const { status, body } = await save(startPlaten(), content, type);
  expect(status).toBe(fault === null ? 201 : 422);
  if (fault !== null) expect(body.errors.content[0]).toContain(fault);
});

test("a thousand attachments are accepted, one more is not; an alt text is counted once", async () => {
  const at = startPlaten();
  const film = await upload(at, "film.webm");
  const short = await save(at, film.repeat(1000), "html", { alt_text: { "film.webm": "A cat" } });
  expect([short.status, short.body.post.attachments.length]).toEqual([201, 1]);
  const more = await save(at, film.repeat(1001), "html");
  expect([more.status, more.body.errors?.content]).toEqual([422, ["must contain at most 1000 attachments"]]);
  const long = { alt_text: { "film.webm": "c".repeat(10_000) } };
  expect((await save(at, film.repeat(10), "html", long)).status).toBe(201);
  const often = await save(at, film.repeat(900), "html", long);
  expect([often.status, Object.keys(often.body.errors ?? {})]).toEqual([422, ["content"]]);
});

test("code that is too large or slow to highlight is saved without highlighting", async () => {
  const at = startPlaten();
  const short = await save(at, "```json\n[1,2]\n```");
  expect(short.body.post.content.html).toContain("hljs");
  const dense = await save(at, `\`\`\`json\n${`${"[1,2],".repeat(80)}\n`.repeat(20)}\`\`\`\n\n`.repeat(10));
  expect([dense.status, dense.body.post.content.html.includes("hljs")]).toEqual([201, false]);
});

test("a megabyte of text with tables, footnotes and pictures is saved", async () => {
  const at = startPlaten();
  const films = await Promise.all(
    Array.from({ length: 10 }, (_, number) => upload(at, `film-${number}.webm`)),
  );
  const sentence =
    "It was *late* when the **ferry** came in, and [the quay](https://example.org/quay) lay in the dark. ";
  const parts = Array.from({ length: 300 }, (_, number) => {
    const film = number % 3 === 0 ? `${films[(number / 3) % 10]}\n\n` : "";
    return `## Chapter ${number}\n\n${sentence.repeat(32)}[^${number}]\n\n${film}[^${number}]: Note *${number}*.\n\n`;
  });
  const rows = Array.from({ length: 200 }, (_, row) => `| ${row} | a *cell* | ${row * 3} | another |\n`);
  const book = `${parts.join("")}| a | b | c | d |\n|---|---|--:|---|\n${rows.join("")}`;
  expect(book.length).toBeGreaterThan(950_000);
  const { status, body } = await save(at, book);
  expect(status).toBe(201);
  expect(body.warnings).toBeUndefined();
  const { html } = body.post.content;
  expect(html.match(/<h2>/g)).toHaveLength(300);
  expect(html.match(/<figure /g)).toHaveLength(100);
  expect(html.match(/<li id="fn-/g)).toHaveLength(300);
  expect(html.match(/<tr>/g)).toHaveLength(201);
  expect(body.post.attachments).toHaveLength(10);
});

test("a text of only markup or line breaks is rejected quickly, a long paragraph is accepted", async () => {
  const at = startPlaten();
  const rejection = async (content: string) => (await save(at, content)).body.errors?.content[0];
  for (const piece of ["[^1]", "*", "&", "<b>", "[a]("])
    expect(await rejection(piece.repeat(1_000_000 / piece.length))).toContain("characters of markup");
  expect(await rejection("a\n".repeat(499_000))).toBe("must have at most 20000 lines");
  expect(await rejection(`${"[^1]".repeat(6000)}\n\n[^1]: a`)).toBe(
    "must contain at most 5000 footnote references",
  );
  expect((await save(at, "word ".repeat(199_000))).status).toBe(201);
});
